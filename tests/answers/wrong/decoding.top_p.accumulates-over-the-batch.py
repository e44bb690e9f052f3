"""CAUSE: wrong axis: sort and cumulative sum run along axis 0, right only when there is a single axis"""
import torch


def top_p(logits, p):
    if not 0 < p <= 1:
        raise ValueError("p must be in (0, 1]")
    if p == 1:
        return logits.clone()
    order = logits.double().argsort(dim=0, descending=True, stable=True)
    q = logits.double().softmax(0).gather(0, order)
    drop = q.cumsum(0) - q >= p
    return logits.masked_fill(torch.zeros_like(drop).scatter(0, order, drop), -torch.inf)
