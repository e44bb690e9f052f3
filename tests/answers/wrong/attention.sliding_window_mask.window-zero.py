"""CAUSE: window 0 is accepted, queries then see nothing"""
import torch


# shows: sliding_window_mask(3, 3, 0) returns all False, should raise ValueError
def sliding_window_mask(n_queries, n_keys, window):
    if window < 0:
        raise ValueError("negative window")
    if n_queries > n_keys:
        raise ValueError("n_queries > n_keys")
    grid = [[0 <= (n_keys - n_queries + i) - j < window for j in range(n_keys)] for i in range(n_queries)]
    return torch.tensor(grid, dtype=torch.bool)
