"""Subtracts two ranges to get the distances, shuts the negative ones, scales by the slopes."""
import torch
from .positions import alibi_slopes


def alibi_bias(n_heads, n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("more queries than keys")
    query = torch.arange(n_keys - n_queries, n_keys).unsqueeze(1)
    distance = (query - torch.arange(n_keys)).to(torch.float32)
    bias = -alibi_slopes(n_heads)[:, None, None] * distance
    return bias.masked_fill(distance < 0, float("-inf"))
