"""CAUSE: two mistakes: units already taken are marked with -inf, so that a unit whose own score is -inf ties with them and is lost, and ties go wherever topk likes"""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent > budget:
        raise ValueError("n_sink + n_recent > budget")
    T = scores.shape[0]
    forced = sorted(set(range(min(n_sink, T))) | set(range(max(0, T - n_recent), T)))
    s = scores.clone()
    s[forced] = -torch.inf
    extra = s.topk(min(budget, T) - len(forced)).indices
    both = torch.cat([torch.tensor(forced, dtype=torch.int64), extra])
    return both.unique()
