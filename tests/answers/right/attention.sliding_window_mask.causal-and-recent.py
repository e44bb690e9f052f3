"""My causal mask, minus the keys that fell out of the window (upper triangle of the same shape)."""
import torch
from .attention import causal_mask


def sliding_window_mask(n_queries, n_keys, window):
    if window < 1:
        raise ValueError("window < 1")
    allowed = causal_mask(n_queries, n_keys)          # raises for Tq > Tk
    oldest = n_keys - n_queries - min(window, n_keys) + 1
    return allowed & torch.ones_like(allowed).triu(oldest)
