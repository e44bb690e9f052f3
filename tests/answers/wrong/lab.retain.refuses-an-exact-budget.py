"""CAUSE: off by one: >= instead of >, a budget used up by sinks and recent units raises"""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent >= budget and (n_sink or n_recent):
        raise ValueError("no room left in the budget")
    i = torch.arange(scores.shape[0])
    s = scores.double().masked_fill((i < n_sink) | (i >= len(i) - n_recent), torch.inf)
    return s.argsort(descending=True, stable=True)[:budget].sort().values
