"""CAUSE: rounds log2(H) to the nearest power of two instead of down, and cuts the list"""
import math
import torch

# shows: n_heads=6 rounds up to 8 and returns 2^-1 .. 2^-6; n_heads=5 is right


def get_slopes(n):
    return [2 ** (-8 * (i + 1) / n) for i in range(n)]


def alibi_slopes(n_heads):
    if n_heads < 1:
        raise ValueError("n_heads must be >= 1")
    closest = 2 ** round(math.log2(n_heads))
    s = get_slopes(closest)
    if closest < n_heads:
        s = s + get_slopes(2 * closest)[0::2][: n_heads - closest]
    return torch.tensor(s[:n_heads], dtype=torch.float32)
