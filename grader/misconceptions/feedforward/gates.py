"""The gates of the activations, which a learner may take for one another."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from grader.judge.misconception import Wrong


def exact_gate(x: Tensor) -> Tensor:
    """The normal distribution function."""
    return 0.5 * (1 + torch.erf(x / math.sqrt(2)))


def tanh_gate(x: Tensor) -> Tensor:
    """Its approximation by tanh."""
    return 0.5 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def neighbouring_gate(wrong: Wrong, x: Tensor, names: tuple[str, ...]) -> Tensor | None:
    """The gate of another activation, if that is the mistake."""
    gates: dict[str, Callable[[Tensor], Tensor]] = {
        "exact-form": exact_gate,
        "tanh-form": tanh_gate,
        "sigmoid-form": lambda t: torch.sigmoid(1.702 * t),
        "silu": torch.sigmoid,
        "relu": lambda t: (t > 0).to(t.dtype),
        "hard-swish": lambda t: (t / 6 + 0.5).clamp(0, 1),
        "tanh-of-x": torch.tanh,
    }
    chosen = [gates[name](x) for name in names if wrong(name)]
    return chosen[0] if chosen else None
