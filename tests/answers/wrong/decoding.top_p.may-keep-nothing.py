"""CAUSE: two mistakes: the crossing token is dropped and a small p leaves no token at all"""
import torch


def top_p(logits, p):
    if p <= 0 or p > 1:
        raise ValueError("p outside (0, 1]")
    if p == 1:
        return logits.clone()
    sorted_logits, idx = logits.double().sort(descending=True, stable=True)
    cum = sorted_logits.softmax(-1).cumsum(-1)
    remove = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, idx, cum >= p)
    return logits.masked_fill(remove, -torch.inf)
