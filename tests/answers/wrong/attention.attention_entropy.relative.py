"""CAUSE: divides by log2 of the number of keys"""
import math
import torch

from .objective import entropy_bits


# shows: uniform weights over 4 keys give 1, should be 2
def attention_entropy(weights):
    h = entropy_bits(weights, dim=-1)
    h_max = math.log2(max(weights.shape[-1], 2))
    return h / h_max
