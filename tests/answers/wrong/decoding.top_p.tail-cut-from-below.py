"""CAUSE: ties: the tail is cut from an ascending sort with mass <= 1 - p, so of equal tokens the lower index goes first"""
import torch


def top_p(logits, p):
    if p <= 0.0 or p > 1.0:
        raise ValueError("p must be in (0, 1]")
    if p == 1.0:
        return logits.clone()
    up, order = torch.sort(logits.double(), dim=-1, stable=True)
    below = up.softmax(-1).cumsum(-1)
    remove = below <= 1 - p
    remove[..., -1] = False
    return logits.masked_fill(torch.zeros_like(remove).scatter_(-1, order, remove), -torch.inf)
