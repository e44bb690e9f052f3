"""CAUSE: aligns query 0 with key 0 instead of the last query with the last key"""
import torch
from .positions import alibi_slopes

# shows: alibi_bias(1, 1, 3): the only query sees just key 0; Tq = Tk is right


def alibi_bias(n_heads, n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("n_queries must not exceed n_keys")
    i = torch.arange(n_queries).view(-1, 1)
    j = torch.arange(n_keys).view(1, -1)
    bias = -(i - j).float() * alibi_slopes(n_heads).view(-1, 1, 1)
    return bias.masked_fill(j > i, float("-inf"))
