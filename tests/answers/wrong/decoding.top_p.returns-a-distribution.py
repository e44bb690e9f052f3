"""CAUSE: misreading: the kept probabilities are renormalised and returned, not the logits with -inf"""
import torch


def top_p(logits, p):
    if not 0 < p <= 1:
        raise ValueError("p must be in (0, 1]")
    q, order = logits.double().softmax(-1).sort(dim=-1, descending=True, stable=True)
    q = q * ((q.cumsum(-1) - q) < p)
    q = q / q.sum(-1, keepdim=True)
    return torch.zeros_like(q).scatter(-1, order, q).to(logits.dtype)
