"""CAUSE: uses |i - j| and never puts -inf after the query"""
import torch
from .positions import alibi_slopes

# shows: alibi_bias(2, 3, 3)[0, 0, 2] should be -inf, is -2/16


def alibi_bias(n_heads, n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("Tq > Tk")
    offset = n_keys - n_queries
    d = (torch.arange(n_queries)[:, None] + offset - torch.arange(n_keys)[None]).abs()
    return -alibi_slopes(n_heads).reshape(n_heads, 1, 1) * d
