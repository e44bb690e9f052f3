"""CAUSE: ties: an ascending sort read from the end prefers the later of two equal units"""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent > budget:
        raise ValueError("n_sink + n_recent > budget")
    T = scores.numel()
    i = torch.arange(T)
    s = torch.where((i < n_sink) | (i >= T - n_recent), torch.inf, scores.double())
    chosen = s.argsort(stable=True)[max(0, T - budget):]
    return chosen.sort()[0]
