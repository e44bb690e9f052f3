"""CAUSE: formula: the summed losses are divided by the number of micro-batches, the counts are only used for the check"""
import torch


def accumulate_loss(sums, counts):
    if not any(counts):
        raise ValueError("no target counts")
    return torch.stack(list(sums)).mean()
