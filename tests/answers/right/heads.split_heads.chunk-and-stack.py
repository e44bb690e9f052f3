"""Cuts the features into H pieces and stacks the pieces on a new axis before time."""
import torch


def split_heads(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError("the width must be a multiple of the number of heads")
    pieces = x.split(x.shape[-1] // n_heads, dim=-1)
    return torch.stack(pieces, dim=-3)
