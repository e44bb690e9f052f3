"""numpy's tri does it, then from_numpy."""
import numpy as np
import torch


def causal_mask(n_queries, n_keys):
    if n_keys < n_queries:
        raise ValueError("the keys must include the queries' own positions")
    return torch.from_numpy(np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool))
