"""CAUSE: cuts the sequence into blocks of size window instead of sliding"""
import torch

from .attention import causal_mask


# shows: sliding_window_mask(3, 3, 2): query 2 sees only itself, should see keys 1 and 2
def sliding_window_mask(n_queries, n_keys, window):
    if window < 1:
        raise ValueError("window must be >= 1")
    causal = causal_mask(n_queries, n_keys)
    key_block = torch.arange(n_keys) // window
    query_block = key_block[n_keys - n_queries:]
    return causal & (query_block[:, None] == key_block[None, :])
