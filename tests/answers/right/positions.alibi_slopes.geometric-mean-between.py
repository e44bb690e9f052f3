"""Starts at 1/256 and takes square roots: each doubling of the heads puts geometric means between the old slopes."""
import math
import torch


def alibi_slopes(n_heads):
    if n_heads < 1:
        raise ValueError("at least one head")
    slopes = [2.0 ** -8]
    while 2 * len(slopes) <= n_heads:
        slopes = _between(slopes, every=True)
    missing = n_heads - len(slopes)
    return torch.tensor(slopes + _between(slopes, every=False)[:missing], dtype=torch.float32)


def _between(slopes, every):
    """The means of neighbours (with 1 before the first), alone or woven into the slopes."""
    result, before = [], 1.0
    for slope in slopes:
        result.append(math.sqrt(before * slope))
        if every:
            result.append(slope)
        before = slope
    return result
