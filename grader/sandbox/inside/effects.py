"""What a call leaves behind beside its value: a moved global random state, results that ask for gradients."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

RANDOM_STATE = "random-state"
REQUIRES_GRAD = "requires-grad"
DEPTH = 3


def random_state() -> Tensor:
    """torch's global random state."""
    return torch.get_rng_state()


def requires_grad(value: Any, depth: int = DEPTH) -> bool:
    """Whether any tensor of a nested value asks for gradients, as deep as results of the course are nested."""
    if isinstance(value, Tensor):
        return value.requires_grad
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return depth > 0 and any(requires_grad(part, depth - 1) for part in parts)
