"""Distance from query to key must be in 0..window-1."""
import torch


def sliding_window_mask(n_queries, n_keys, window):
    if window < 1:
        raise ValueError("window must be at least 1")
    if n_queries > n_keys:
        raise ValueError("more queries than keys")
    i = torch.arange(n_keys - n_queries, n_keys).unsqueeze(1)
    distance = i - torch.arange(n_keys)
    return (distance >= 0) & (distance < window)
