"""CAUSE: treats the probabilities as logits and applies softmax first"""
import torch

from .objective import softmax


# shows: entropy_bits(tensor([1., 0.])) is 0.84, should be 0
def entropy_bits(probabilities, dim=-1):
    p = softmax(probabilities, dim=dim)
    return -(p * torch.log2(p)).sum(dim=dim)
