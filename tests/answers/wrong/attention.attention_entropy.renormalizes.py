"""CAUSE: divides by the row sum first, a fully masked query gives NaN"""
import torch

from .objective import entropy_bits


# shows: weights [[0, 0]] (a query that attends to nothing) give nan, should be 0
def attention_entropy(weights):
    p = weights / weights.sum(-1, keepdim=True)
    safe = torch.where(p > 0, p, torch.ones_like(p))
    return -torch.sum(torch.log2(safe) * p, dim=-1)
