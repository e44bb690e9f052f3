"""Lower triangle of a matrix of ones with the diagonal moved by Tk - Tq."""
import torch


def causal_mask(n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("more queries than keys")
    return torch.ones(n_queries, n_keys, dtype=torch.bool).tril(n_keys - n_queries)
