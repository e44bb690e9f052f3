"""CAUSE: wrong index: the mask made in sorted order is applied to the unsorted logits, never scattered back"""
import torch


def top_p(logits, p):
    if not 0 < p <= 1:
        raise ValueError("p must be in (0, 1]")
    if p == 1:
        return logits
    probs = torch.softmax(logits.double(), -1).sort(dim=-1, descending=True).values
    keep = probs.cumsum(-1) - probs < p
    return torch.where(keep, logits, -torch.inf)
