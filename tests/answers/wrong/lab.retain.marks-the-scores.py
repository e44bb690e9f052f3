"""CAUSE: mutated argument: +inf is written into the caller's scores to protect sinks and recent units"""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent > budget:
        raise ValueError("sinks and recent units exceed the budget")
    T = scores.shape[0]
    scores[:n_sink] = torch.inf
    if n_recent:
        scores[-n_recent:] = torch.inf
    order = torch.argsort(scores, descending=True, stable=True)
    return order[: min(budget, T)].sort().values
