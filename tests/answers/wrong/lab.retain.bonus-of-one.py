"""CAUSE: precision: sinks and recent units get a bonus of 1, enough only when the scores are probabilities"""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent > budget:
        raise ValueError("n_sink + n_recent > budget")
    i = torch.arange(scores.shape[0])
    forced = (i < n_sink) | (i >= scores.shape[0] - n_recent)
    s = scores.double() + forced
    return s.argsort(descending=True, stable=True)[:budget].sort().values
