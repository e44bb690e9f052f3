"""CAUSE: off by one: only tokens whose cumulative mass is still at most p stay, the one that crosses p is dropped"""
import torch


def top_p(logits, p):
    if not 0 < p <= 1:
        raise ValueError("p outside (0, 1]")
    if p == 1:
        return logits.clone()
    order = torch.sort(logits.double(), dim=-1, descending=True, stable=True).indices
    mass = torch.softmax(logits.double(), -1).gather(-1, order).cumsum(-1)
    keep = mass <= p
    keep[..., 0] = True
    return logits.masked_fill(~torch.zeros_like(keep).scatter(-1, order, keep), -torch.inf)
