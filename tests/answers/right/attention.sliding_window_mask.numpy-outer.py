"""numpy outer subtraction and two comparisons."""
import numpy as np
import torch


def sliding_window_mask(n_queries, n_keys, window):
    if not (window >= 1 and n_queries <= n_keys):
        raise ValueError(f"bad sizes: {n_queries}, {n_keys}, {window}")
    back = np.subtract.outer(np.arange(n_queries) + n_keys - n_queries, np.arange(n_keys))
    return torch.as_tensor(np.logical_and(back >= 0, back <= window - 1))
