"""CAUSE: aligned at the first key instead of the last"""
import torch


# shows: causal_mask(1, 3) is [T, F, F], should be [T, T, T]
def causal_mask(n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("n_queries must not exceed n_keys")
    return torch.ones((n_queries, n_keys), dtype=torch.bool).tril()
