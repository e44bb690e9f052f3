"""CAUSE: type: the sums are turned into Python numbers, so the result cannot be differentiated"""
import torch


def accumulate_loss(sums, counts):
    n = sum(counts)
    if n == 0:
        raise ValueError("nothing counts")
    return torch.tensor(sum(s.item() for s in sums) / n, dtype=sums[0].dtype)
