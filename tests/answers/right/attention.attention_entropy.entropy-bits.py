"""Entropy over the last axis: the function of lesson 1 again."""
from .objective import entropy_bits


def attention_entropy(weights):
    return entropy_bits(weights, dim=-1)
