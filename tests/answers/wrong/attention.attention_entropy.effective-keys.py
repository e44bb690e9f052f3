"""CAUSE: returns 2 ** entropy (the effective number of keys) instead of the entropy"""
import torch

from .objective import entropy_bits


# shows: uniform weights over 4 keys give 4, should be 2
def attention_entropy(weights):
    return torch.exp2(entropy_bits(weights, dim=-1))
