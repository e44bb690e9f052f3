"""CAUSE: reads n_repeats as extra copies and returns n + 1 of each head"""
import torch

# shows: n_repeats=1 doubles the heads instead of leaving them alone


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError(f"n_repeats = {n_repeats}")
    groups = [x]
    for _ in range(n_repeats):
        groups.append(x)
    return torch.stack(groups, dim=2).flatten(1, 2)
