"""CAUSE: True means masked instead of may attend; CAUSE: aligned at the first key, the cache offset is missing"""
import torch


# shows: causal_mask(2, 2) is [[F, T], [F, F]]; causal_mask(1, 3) masks the last two keys of the newest query
def causal_mask(n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("n_queries > n_keys")
    return torch.triu(torch.ones(n_queries, n_keys), diagonal=1) == 1
