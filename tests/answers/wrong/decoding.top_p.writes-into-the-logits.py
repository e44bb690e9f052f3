"""CAUSE: mutated argument: the removed tokens are set to -inf in the caller's tensor"""
import torch


def top_p(logits, p):
    if not 0 < p <= 1:
        raise ValueError("p must be in (0, 1]")
    if p == 1:
        return logits
    order = logits.argsort(dim=-1, descending=True, stable=True)
    q = logits.double().softmax(-1).gather(-1, order)
    drop = torch.zeros_like(q, dtype=torch.bool).scatter(-1, order, q.cumsum(-1) - q >= p)
    return logits.masked_fill_(drop, -torch.inf)
