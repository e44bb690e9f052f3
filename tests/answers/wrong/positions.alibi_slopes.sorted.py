"""CAUSE: sorts the slopes, the extra ones do not stay at the end"""
import math
import torch

# shows: n_heads=3 should be 1/16, 1/256, 1/4, is 1/4, 1/16, 1/256


def alibi_slopes(n_heads):
    if n_heads < 1:
        raise ValueError("n_heads < 1")

    def geo(n):
        return [2 ** (-8 * k / n) for k in range(1, n + 1)]

    base2 = 1 << (n_heads.bit_length() - 1)
    slopes = geo(base2)
    if base2 != n_heads:
        slopes += geo(2 * base2)[::2][: n_heads - base2]
    slopes.sort(reverse=True)
    return torch.tensor(slopes, dtype=torch.float32)
