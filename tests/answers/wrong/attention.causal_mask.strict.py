"""CAUSE: a query does not see its own position"""
import torch


# shows: causal_mask(2, 2) is [[F, F], [T, F]]
def causal_mask(n_queries, n_keys):
    offset = n_keys - n_queries
    if offset < 0:
        raise ValueError("Tq > Tk")
    q = torch.arange(n_queries).view(-1, 1) + offset
    k = torch.arange(n_keys).view(1, -1)
    return k < q
