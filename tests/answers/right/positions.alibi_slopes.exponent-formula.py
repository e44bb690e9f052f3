"""Computes the exponents as one tensor: whole steps of 8/m, then odd half steps, and raises 2 to them."""
import torch


def alibi_slopes(n_heads):
    if n_heads < 1:
        raise ValueError("n_heads must be positive")
    m = 1 << (int(n_heads).bit_length() - 1)
    h = torch.arange(n_heads, dtype=torch.float64)
    exponent = torch.where(h < m, 8 * (h + 1) / m, 4 * (2 * (h - m) + 1) / m)
    return torch.exp2(-exponent).float()
