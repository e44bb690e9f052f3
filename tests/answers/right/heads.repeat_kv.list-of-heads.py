"""Builds a python list in which every head stands n times, then concatenates it."""
import torch


def repeat_kv(x, n_repeats):
    if not n_repeats >= 1:
        raise ValueError("n_repeats < 1")
    row = []
    for head in x.split(1, dim=1):
        row += [head] * n_repeats
    return torch.cat(row, dim=1)
