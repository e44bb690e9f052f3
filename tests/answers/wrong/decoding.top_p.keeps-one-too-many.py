"""CAUSE: off by one: the removal mask is shifted by one though it already keeps the crossing token"""
import torch


def top_p(logits, p):
    if not (0 < p <= 1):
        raise ValueError("p outside (0, 1]")
    if p == 1.0:
        return logits.clone()
    order = logits.double().argsort(dim=-1, descending=True, stable=True)
    probs = logits.double().softmax(-1).gather(-1, order)
    remove = probs.cumsum(-1) - probs >= p
    remove[..., 1:] = remove[..., :-1].clone()
    remove[..., 0] = False
    return logits.masked_fill(torch.empty_like(remove).scatter(-1, order, remove), -torch.inf)
