"""CAUSE: window off by one, window + 1 keys are visible"""
import torch

from .attention import causal_mask


# shows: sliding_window_mask(3, 3, 1) lets each query see its neighbour too, should be the identity
def sliding_window_mask(n_queries, n_keys, window):
    if window < 1:
        raise ValueError("window must be at least 1")
    full = causal_mask(n_queries, n_keys)
    pos = torch.arange(n_queries)[:, None] + (n_keys - n_queries)
    return full & (torch.arange(n_keys)[None, :] >= pos - window)
