"""CAUSE: off by one at the border: p = 1 is rejected, but the interval is open at 0 and closed at 1"""
import torch


def top_p(logits, p):
    if not 0 < p < 1:
        raise ValueError("p must be between 0 and 1")
    wide = logits.double()
    order = wide.argsort(dim=-1, descending=True, stable=True)
    q = wide.softmax(-1).gather(-1, order)
    drop = (q.cumsum(-1) - q) >= p
    return logits.masked_fill(torch.zeros_like(drop).scatter(-1, order, drop), -torch.inf)
