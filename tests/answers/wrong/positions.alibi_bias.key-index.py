"""CAUSE: adds slope * key index, as BLOOM does (the same after softmax), instead of -slope * distance"""
import torch
from .positions import alibi_slopes

# shows: alibi_bias(8, 2, 2)[0] should be [[0, -inf], [-0.5, 0]], is [[0, -inf], [0, 0.5]]


def alibi_bias(n_heads, n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("a query needs its own key")
    slopes = alibi_slopes(n_heads)
    alibi = slopes.unsqueeze(1).unsqueeze(1) * torch.arange(n_keys).unsqueeze(0).unsqueeze(0).expand(n_heads, -1, -1)
    future = torch.triu(torch.full((n_queries, n_keys), float("-inf")), diagonal=1 + n_keys - n_queries)
    return alibi + future
