"""CAUSE: precision: argmax over "mass >= p" is 0 when rounding keeps the mass below p, so near p = 1 a single token stays"""
import torch


def top_p(logits, p):
    if not 0 < p <= 1:
        raise ValueError("p must be in (0, 1]")
    order = logits.argsort(dim=-1, descending=True, stable=True)
    mass = logits.float().softmax(-1).gather(-1, order).cumsum(-1)
    last = (mass >= p).int().argmax(-1, keepdim=True)
    rank = order.argsort(-1)
    return logits.masked_fill(rank > last, -torch.inf)
