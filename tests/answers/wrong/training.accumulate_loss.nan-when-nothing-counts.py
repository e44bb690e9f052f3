"""CAUSE: forgotten edge case: a total count of zero gives 0/0 = NaN instead of a ValueError"""
import torch


def accumulate_loss(sums, counts):
    total = torch.stack(sums).sum() if len(sums) else torch.tensor(0.0)
    return total / torch.tensor(sum(counts))
