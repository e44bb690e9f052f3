"""CAUSE: 0 * log2(0) is NaN"""
import torch


# shows: entropy_bits(tensor([1., 0.])) is nan, should be 0
def entropy_bits(probabilities, dim=-1):
    surprise = -torch.log2(probabilities)
    return torch.sum(probabilities * surprise, dim=dim)
