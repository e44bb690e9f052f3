"""CAUSE: misreading: a budget larger than T raises, but then all T units simply stay"""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    T = scores.shape[0]
    if n_sink + n_recent > budget or budget > T:
        raise ValueError("invalid budget")
    i = torch.arange(T)
    s = scores.double().masked_fill((i < n_sink) | (i >= T - n_recent), torch.inf)
    return s.argsort(descending=True, stable=True)[:budget].sort().values
