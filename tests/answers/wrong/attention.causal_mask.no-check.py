"""CAUSE: more queries than keys is not rejected"""
import torch


# shows: causal_mask(3, 2) returns a mask whose first query sees nothing, should raise ValueError
def causal_mask(n_queries, n_keys):
    i = torch.arange(n_queries)[:, None]
    j = torch.arange(n_keys)[None, :]
    return j <= i + n_keys - n_queries
