"""CAUSE: counts the distance from 1, the own key already costs one slope; CAUSE: more queries than keys is not refused"""
import torch
from .positions import alibi_slopes

# shows: alibi_bias(8, 1, 1) should be 0, is -0.5; alibi_bias(2, 3, 2) returns a table with an all -inf row


def alibi_bias(n_heads, n_queries, n_keys):
    out = torch.full((n_heads, n_queries, n_keys), float("-inf"))
    slopes = alibi_slopes(n_heads)
    for h in range(n_heads):
        for i in range(n_queries):
            last = i + n_keys - n_queries
            for j in range(last + 1):
                out[h, i, j] = -slopes[h] * (last - j + 1)
    return out
