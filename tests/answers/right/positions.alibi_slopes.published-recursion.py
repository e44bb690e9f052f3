"""The recursion of the authors' own code: powers of two directly, the rest from twice the next lower one."""
import math
import torch


def _slopes(n):
    lower = 2 ** math.floor(math.log2(n))
    if lower == n:
        ratio = 2.0 ** (-8.0 / n)
        return [ratio ** (i + 1) for i in range(n)]
    return _slopes(lower) + _slopes(2 * lower)[0::2][: n - lower]


def alibi_slopes(n_heads):
    if n_heads < 1:
        raise ValueError(f"no slopes for {n_heads} heads")
    return torch.tensor(_slopes(n_heads), dtype=torch.float32)
