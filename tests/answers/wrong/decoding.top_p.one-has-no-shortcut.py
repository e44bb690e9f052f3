"""CAUSE: precision: at p = 1 the float32 cumulative mass reaches 1 early and the improbable tail is cut"""
import torch


def top_p(logits, p):
    if not 0 < p <= 1:
        raise ValueError("p must be in (0, 1]")
    order = logits.float().argsort(dim=-1, descending=True, stable=True)
    probs = logits.float().softmax(-1).gather(-1, order)
    before = torch.cat([torch.zeros_like(probs[..., :1]), probs.cumsum(-1)[..., :-1]], -1)
    keep = torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before < p)
    return torch.where(keep, logits, torch.full_like(logits, -torch.inf))
