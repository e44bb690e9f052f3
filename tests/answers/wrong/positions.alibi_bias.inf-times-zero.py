"""CAUSE: makes the causal part as (j > i) * -inf, and 0 * -inf is NaN everywhere else"""
import torch
from .positions import alibi_slopes

# shows: alibi_bias(1, 2, 2)[0, 1, 0] is NaN, should be -2^-8


def alibi_bias(n_heads, n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("n_queries > n_keys")
    rows = torch.arange(n_queries)[:, None] + (n_keys - n_queries)
    cols = torch.arange(n_keys)[None, :]
    linear = -(rows - cols).clamp(min=0).float()
    block = (cols > rows).float() * float("-inf")
    return alibi_slopes(n_heads)[:, None, None] * linear + block
