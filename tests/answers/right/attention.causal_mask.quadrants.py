"""Recursion over halves of the queries: past keys are open, future keys are closed, a single query sees all up to itself."""
import torch


def _fill(mask, first_key):
    n = mask.shape[0]
    if n <= 1:
        mask[:, : first_key + 1] = True
        return
    half = n // 2
    _fill(mask[:half], first_key)
    _fill(mask[half:], first_key + half)


def causal_mask(n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("a query would come before the first key")
    mask = torch.zeros((n_queries, n_keys), dtype=torch.bool)
    _fill(mask, n_keys - n_queries)
    return mask
