"""CAUSE: forgotten: n_sink + n_recent above the budget does not raise"""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    T = scores.shape[0]
    i = torch.arange(T)
    forced = (i < n_sink) | (i >= T - n_recent)
    order = torch.argsort(torch.where(forced, torch.inf, scores.double()), descending=True, stable=True)
    return order[:budget].sort().values
