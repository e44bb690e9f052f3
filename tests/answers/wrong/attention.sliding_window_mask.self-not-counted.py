"""CAUSE: window off by one, only window - 1 keys are visible"""
import torch


# shows: sliding_window_mask(3, 3, 1) is all False, should be the identity
def sliding_window_mask(n_queries, n_keys, window):
    if window < 1:
        raise ValueError("window < 1")
    if n_queries > n_keys:
        raise ValueError("Tq > Tk")
    shift = n_keys - n_queries
    everything = torch.ones(n_queries, n_keys, dtype=torch.bool)
    upper = torch.tril(everything, diagonal=shift)
    lower = torch.triu(everything, diagonal=shift - window + 2)
    return upper & lower
