"""CAUSE: normalizes by log2(V), so the result is between 0 and 1 and not in bits"""
import math
import torch


# shows: uniform over 4 is 1.0, should be 2 bits
def entropy_bits(probabilities, dim=-1):
    n = probabilities.shape[dim]
    safe = torch.where(probabilities == 0, torch.ones_like(probabilities), probabilities)
    h = -(probabilities * torch.log2(safe)).sum(dim=dim)
    if n == 1:
        return h
    return h / math.log2(n)
