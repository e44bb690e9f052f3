"""CAUSE: query i is taken to sit at key i, the cache offset is missing"""
import torch


# shows: sliding_window_mask(1, 4, 2) is [T, F, F, F], should be [F, F, T, T]
def sliding_window_mask(n_queries, n_keys, window):
    if window < 1 or n_queries > n_keys:
        raise ValueError("bad arguments")
    delta = torch.arange(n_queries)[:, None] - torch.arange(n_keys)[None, :]
    return (delta >= 0) & (delta < window)
