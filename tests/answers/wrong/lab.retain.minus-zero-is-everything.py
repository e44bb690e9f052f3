"""CAUSE: edge case: scores[-0:] is the whole tensor, so with n_recent = 0 every unit counts as recent"""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent > budget:
        raise ValueError("budget too small")
    s = scores.clone()
    s[:n_sink] = torch.inf
    s[-n_recent:] = torch.inf
    keep = s.argsort(descending=True, stable=True)[:budget]
    return keep.sort().values
