"""CAUSE: always 1/2, 1/4, 1/8 ..., the example of the paper for 8 heads"""
import torch

# shows: n_heads=4 should be 1/4, 1/16, 1/64, 1/256, is 1/2, 1/4, 1/8, 1/16


def alibi_slopes(n_heads):
    if n_heads < 1:
        raise ValueError("no heads")
    m = torch.full((n_heads,), 0.5)
    return torch.cumprod(m, dim=0)
