"""CAUSE: takes the 2nd, 4th, 6th ... slope of the next higher power instead of the 1st, 3rd, 5th"""
import torch

# shows: n_heads=6: the last two should be 2^-1 and 2^-3, are 2^-2 and 2^-4 again


def alibi_slopes(n_heads):
    if n_heads < 1:
        raise ValueError("need n_heads >= 1")
    lower = 1
    while lower * 2 <= n_heads:
        lower *= 2
    first = [2.0 ** (-8.0 * (h + 1) / lower) for h in range(lower)]
    higher = [2.0 ** (-8.0 * (h + 1) / (2 * lower)) for h in range(2 * lower)]
    extra = higher[1::2][: n_heads - lower]
    return torch.tensor(first + extra, dtype=torch.float32)
