"""CAUSE: wrong index: the best of the middle part are numbered from 0, the offset of the sinks is not added back"""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent > budget:
        raise ValueError("n_sink + n_recent > budget")
    T = scores.shape[0]
    if budget >= T:
        return torch.arange(T)
    middle = scores[n_sink : T - n_recent]
    best = middle.argsort(descending=True, stable=True)[: budget - n_sink - n_recent]
    return torch.cat([torch.arange(n_sink), best, torch.arange(T - n_recent, T)]).sort().values
