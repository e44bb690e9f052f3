"""CAUSE: wrong type: a boolean mask is returned instead of sorted int64 indices"""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent > budget:
        raise ValueError("n_sink + n_recent > budget")
    i = torch.arange(scores.shape[0])
    s = scores.double().masked_fill((i < n_sink) | (i >= len(i) - n_recent), torch.inf)
    keep = torch.zeros(len(i), dtype=torch.bool)
    keep[s.argsort(descending=True, stable=True)[:budget]] = True
    return keep
