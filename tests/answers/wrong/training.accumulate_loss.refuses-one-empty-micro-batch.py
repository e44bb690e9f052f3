"""CAUSE: misreading: a single micro-batch without targets raises, though the others count"""
import torch


def accumulate_loss(sums, counts):
    if not counts or min(counts) == 0:
        raise ValueError("nothing counts")
    total = torch.stack([s.double() for s in sums]).sum()
    return (total / sum(counts)).to(sums[0].dtype)
