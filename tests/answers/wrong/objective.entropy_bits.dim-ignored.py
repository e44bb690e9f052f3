"""CAUSE: ignores dim, always sums the last axis"""
import torch


# shows: a (3, 4) table of column distributions with dim=0 gives 3 numbers instead of 4
def entropy_bits(probabilities, dim=-1):
    p = probabilities
    zero = p == 0
    h = p * torch.log2(p.masked_fill(zero, 1.0))
    return -h.sum(-1)
