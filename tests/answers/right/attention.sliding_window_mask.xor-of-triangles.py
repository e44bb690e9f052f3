"""The band is what two lower triangles do not share."""
import torch


def sliding_window_mask(n_queries, n_keys, window):
    if window < 1 or n_queries > n_keys:
        raise ValueError("need window >= 1 and n_queries <= n_keys")
    ones = torch.ones((n_queries, n_keys), dtype=torch.bool)
    d = n_keys - n_queries
    reach = min(window, n_keys)
    return ones.tril(d) ^ ones.tril(d - reach)
