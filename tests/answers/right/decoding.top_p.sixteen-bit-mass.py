"""Softmax and masses in the dtype of the logits."""
import torch


def top_p(logits, p):
    if not 0 < p <= 1:
        raise ValueError("p must be in (0, 1]")
    if p == 1:
        return logits.clone()
    probs = logits.softmax(-1)
    order = probs.argsort(dim=-1, descending=True, stable=True)
    ranked = probs.gather(-1, order)
    cum = ranked.cumsum(-1)
    drop = torch.zeros_like(probs, dtype=torch.bool).scatter(-1, order, cum - ranked >= p)
    return logits.masked_fill(drop, -torch.inf)
