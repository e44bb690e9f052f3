"""CAUSE: uses 2^(-8 i/H) also when H is no power of two"""
import torch

# shows: n_heads=3 should be 1/16, 1/256, 1/4, is 2^-2.67, 2^-5.33, 2^-8


def alibi_slopes(n_heads):
    if n_heads < 1:
        raise ValueError("n_heads must be positive")
    i = torch.arange(1, n_heads + 1, dtype=torch.float32)
    return 2.0 ** (-8.0 * i / n_heads)
