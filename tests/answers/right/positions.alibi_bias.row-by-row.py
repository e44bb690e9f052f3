"""Starts with minus infinity everywhere and writes each query's visible keys."""
import math
import torch


def _slope(h, n):
    m = 2 ** int(math.log2(n))
    return 2 ** (-8 * (h + 1) / m) if h < m else 2 ** (-8 * (2 * (h - m) + 1) / (2 * m))


def alibi_bias(n_heads, n_queries, n_keys):
    if n_heads < 1:
        raise ValueError("n_heads must be at least 1")
    if n_queries > n_keys:
        raise ValueError(f"{n_queries} queries do not fit {n_keys} keys")
    bias = torch.full((n_heads, n_queries, n_keys), -math.inf)
    for i in range(n_queries):
        here = i + n_keys - n_queries
        back = torch.arange(here, -1, -1, dtype=torch.float64)
        for h in range(n_heads):
            bias[h, i, :here + 1] = (-_slope(h, n_heads) * back).float()
    return bias
