"""CAUSE: window on both sides, future keys are visible"""
import torch


# shows: sliding_window_mask(3, 3, 2): query 0 sees key 1
def sliding_window_mask(n_queries, n_keys, window):
    if window < 1:
        raise ValueError("window has to be positive")
    if n_queries > n_keys:
        raise ValueError("more queries than keys")
    qpos = torch.arange(n_keys - n_queries, n_keys).unsqueeze(1)
    kpos = torch.arange(n_keys).unsqueeze(0)
    return (qpos - kpos).abs() < window
