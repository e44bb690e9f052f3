"""CAUSE: starts the geometric sequence at exponent 0, the first slope is 1"""
import math
import torch

# shows: n_heads=8 should begin with 1/2, begins with 1 and ends with 1/128


def alibi_slopes(n_heads):
    if n_heads < 1:
        raise ValueError("at least one head")

    def power_of_two(n):
        ratio = 2 ** (-8 / n)
        return [ratio ** j for j in range(n)]

    if math.log2(n_heads).is_integer():
        out = power_of_two(n_heads)
    else:
        c = 2 ** math.floor(math.log2(n_heads))
        out = power_of_two(c) + power_of_two(2 * c)[0::2][: n_heads - c]
    return torch.tensor(out, dtype=torch.float32)
