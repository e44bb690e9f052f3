"""Forced places first, then one argmax after another over the free places."""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent > budget:
        raise ValueError("retain: the forced units do not fit the budget")
    T = scores.shape[0]
    chosen = torch.zeros(T, dtype=torch.bool)
    chosen[: min(n_sink, T)] = True
    chosen[max(T - n_recent, 0) :] = True
    for _ in range(min(budget, T) - int(chosen.sum())):
        free = torch.nonzero(~chosen).squeeze(1)
        chosen[free[scores[free].argmax()]] = True
    return torch.nonzero(chosen).squeeze(1)
