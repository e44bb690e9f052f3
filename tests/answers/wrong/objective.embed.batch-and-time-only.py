"""CAUSE: works only for (B, T) tokens"""
import torch


# shows: embed(tensor([1, 2]), table) fails to unpack the shape; should be (2, D)
def embed(tokens, table):
    B, T = tokens.shape
    V, D = table.shape
    if (tokens < 0).any() or (tokens >= V).any():
        raise ValueError("token id must lie in 0..V-1")
    result = torch.zeros(B, T, D, dtype=table.dtype)
    for b in range(B):
        for s in range(T):
            result[b, s] = table[tokens[b, s]]
    return result
