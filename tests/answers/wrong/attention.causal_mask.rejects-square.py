"""CAUSE: check off by one, Tq == Tk is rejected"""
import torch


# shows: causal_mask(4, 4) raises ValueError; the square mask is the usual case
def causal_mask(n_queries, n_keys):
    if n_queries >= n_keys:
        raise ValueError("there must be fewer queries than keys")
    past = n_keys - n_queries
    left = torch.ones(n_queries, past, dtype=torch.bool)
    right = torch.ones(n_queries, n_queries, dtype=torch.bool).tril()
    return torch.cat([left, right], dim=1)
