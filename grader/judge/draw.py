"""Inputs for suites: seeded, never degenerate by accident, and small numbers a person can read where that helps."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor


def seed_for(run_seed: int, name: str) -> int:
    """A seed of its own for every test, so that adding a test changes no other."""
    digest = hashlib.sha256(f"{run_seed}:{name}".encode()).digest()
    return int.from_bytes(digest[:7], "little")


class Draw:
    """Random inputs, float64 unless asked otherwise. Values are drawn in float64 and then rounded to the dtype."""

    def __init__(self, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)

    def normal(self, *shape: int, scale: float = 1.0, shift: float = 0.0, dtype: torch.dtype = torch.float64) -> Tensor:
        """Normal values with standard deviation `scale` around `shift`."""
        return (torch.randn(shape, generator=self.generator, dtype=torch.float64) * scale + shift).to(dtype)

    def uniform(self, *shape: int, low: float = 0.0, high: float = 1.0, dtype: torch.dtype = torch.float64) -> Tensor:
        """Uniform values in [low, high)."""
        return (torch.rand(shape, generator=self.generator, dtype=torch.float64) * (high - low) + low).to(dtype)

    def tidy(self, *shape: int, low: float = -2.0, high: float = 2.0, dtype: torch.dtype = torch.float64) -> Tensor:
        """Numbers with one decimal between low and high, never 0, all different while there are enough of them."""
        steps = [n for n in range(round(low * 10), round(high * 10) + 1) if n]
        count = int(torch.Size(shape).numel())
        order: list[int] = []
        while len(order) < count:
            order += torch.randperm(len(steps), generator=self.generator).tolist()
        return (torch.tensor([steps[i] for i in order[:count]], dtype=torch.float64) / 10).reshape(shape).to(dtype)

    def integers(self, low: int, high: int, *shape: int) -> Tensor:
        """int64 values in low..high-1."""
        return torch.randint(low, high, shape, generator=self.generator)

    def bool(self, *shape: int, p: float = 0.5) -> Tensor:
        """True with probability p."""
        return torch.rand(shape, generator=self.generator) < p

    def probabilities(self, *shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
        """Positive values whose last axis sums to 1."""
        return self.normal(*shape).softmax(-1).to(dtype)

    def permutation(self, n: int) -> Tensor:
        """0..n-1 in random order, int64."""
        return torch.randperm(n, generator=self.generator)

    def choice(self, options: Sequence[Any]) -> Any:
        """One of the options."""
        return options[int(torch.randint(len(options), (), generator=self.generator))]
