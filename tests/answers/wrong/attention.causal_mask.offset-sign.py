"""CAUSE: sign of the cache offset is wrong (Tq - Tk)"""
import torch


# shows: causal_mask(2, 4) is all False but the square case is right
def causal_mask(n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("queries outnumber keys")
    return torch.tril(torch.ones(n_queries, n_keys, dtype=torch.bool), diagonal=n_queries - n_keys)
