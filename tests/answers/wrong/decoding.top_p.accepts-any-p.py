"""CAUSE: forgotten: p is not checked, 0 and 1.5 are silently accepted"""
import torch


def top_p(logits, p):
    if p >= 1:
        return logits.clone()
    wide = logits.double()
    order = wide.argsort(dim=-1, descending=True, stable=True)
    q = wide.softmax(-1).gather(-1, order)
    keep = (q.cumsum(-1) - q) < p
    keep[..., 0] = True
    return torch.full_like(logits, -torch.inf).scatter(-1, order, torch.where(keep, logits.gather(-1, order), -torch.inf))
