"""CAUSE: fills a torch.zeros buffer made without dtype, so the result is always float32"""
import torch

# shows: x in float64 (or bfloat16): result.dtype is torch.float32


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError("n_repeats < 1")
    B, G, T, K = x.shape
    out = torch.zeros(B, G * n_repeats, T, K)
    for g in range(G):
        for r in range(n_repeats):
            out[:, g * n_repeats + r] = x[:, g]
    return out
