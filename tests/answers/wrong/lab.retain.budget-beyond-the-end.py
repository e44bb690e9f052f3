"""CAUSE: edge case: topk fails when the budget is larger than T"""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent > budget:
        raise ValueError("n_sink + n_recent > budget")
    T = scores.shape[0]
    s = scores.double() - 0.0
    i = torch.arange(T)
    s[(i < n_sink) | (i >= T - n_recent)] = torch.inf
    edge = s.topk(budget).values[-1] if budget else torch.inf
    above = torch.nonzero(s > edge)[:, 0]
    equal = torch.nonzero(s == edge)[:, 0]
    return torch.cat([above, equal[: budget - len(above)]]).sort().values
