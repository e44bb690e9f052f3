"""Give queries and keys absolute positions and compare them."""
import torch


def causal_mask(n_queries: int, n_keys: int) -> torch.Tensor:
    if n_queries > n_keys:
        raise ValueError(f"{n_queries} queries cannot end at key {n_keys}")
    key_position = torch.arange(n_keys)
    query_position = key_position[n_keys - n_queries:]
    return query_position[:, None] >= key_position[None, :]
