"""CAUSE: upper edge aligned at the end, lower edge of the window aligned at the start"""
import torch


# shows: sliding_window_mask(1, 6, 2) sees all 6 keys; square masks are right
def sliding_window_mask(n_queries, n_keys, window):
    if window < 1:
        raise ValueError("window < 1")
    if n_keys < n_queries:
        raise ValueError("too few keys")
    m = torch.ones(n_queries, n_keys, dtype=torch.bool)
    m = m.tril(diagonal=n_keys - n_queries)
    m = m.triu(diagonal=-(window - 1))
    return m
