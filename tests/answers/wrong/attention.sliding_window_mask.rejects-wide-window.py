"""CAUSE: raises when the window is longer than the sequence"""
import torch

from .attention import causal_mask


# shows: sliding_window_mask(3, 3, 4) raises ValueError; should be the plain causal mask
def sliding_window_mask(n_queries, n_keys, window):
    if not 1 <= window <= n_keys:
        raise ValueError(f"window must be between 1 and {n_keys}, got {window}")
    mask = causal_mask(n_queries, n_keys)
    too_old = torch.ones_like(mask).tril(diagonal=n_keys - n_queries - window)
    return mask & ~too_old
