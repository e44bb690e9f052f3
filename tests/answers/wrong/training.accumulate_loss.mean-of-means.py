"""CAUSE: misreading: the mean of the micro-batch means, every micro-batch weighs the same whatever it counts"""
import torch


def accumulate_loss(sums, counts):
    if sum(counts) == 0:
        raise ValueError("nothing counts")
    means = [s / c for s, c in zip(sums, counts) if c > 0]
    return torch.stack(means).mean()
