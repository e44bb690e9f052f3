"""CAUSE: the sign is lost, far keys are rewarded"""
import torch
from .positions import alibi_slopes

# shows: alibi_bias(8, 2, 2)[0, 1, 0] should be -0.5, is 0.5


def alibi_bias(n_heads, n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("more queries than keys")
    q = torch.arange(n_keys - n_queries, n_keys)
    k = torch.arange(n_keys)
    dist = q[:, None] - k[None, :]
    bias = alibi_slopes(n_heads)[:, None, None] * dist.float()
    return torch.where(dist >= 0, bias, torch.tensor(float("-inf")))
