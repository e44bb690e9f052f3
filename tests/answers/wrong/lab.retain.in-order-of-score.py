"""CAUSE: wrong order: the indices come back in order of score, not sorted"""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent > budget:
        raise ValueError("n_sink + n_recent > budget")
    s = scores.double().clone()
    s[:n_sink] = torch.inf
    s[max(0, len(s) - n_recent):] = torch.inf
    return s.argsort(descending=True, stable=True)[:budget]
