"""CAUSE: polarity inverted, True marks the masked places"""
import torch


# shows: causal_mask(2, 2) is [[F, T], [F, F]], should be [[T, F], [T, T]]
def causal_mask(n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("more queries than keys")
    ones = torch.ones(n_queries, n_keys)
    return torch.triu(ones, diagonal=n_keys - n_queries + 1).bool()
