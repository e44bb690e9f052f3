"""CAUSE: additive float mask (0 and -inf) instead of a bool mask"""
import torch


# shows: causal_mask(2, 2) is float32 [[0, -inf], [0, 0]]
def causal_mask(n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("Tq must be <= Tk")
    mask = torch.full((n_queries, n_keys), float("-inf"))
    return torch.triu(mask, diagonal=1 + n_keys - n_queries)
