"""The trained model as the runner uses it: float64 weights, and the numbers that the functions ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class Decoder:
    """A llama model with tied embeddings. weights: `wte` `(V, D)`, `norm_f.weight`, and `blocks.{n}.`..., float64."""

    weights: dict[str, Tensor]
    n_blocks: int
    n_heads: int
    n_kv_heads: int
    head_width: int
    base: float = 10000.0
    eps: float = 1e-6

    @classmethod
    def of(cls, config: Mapping[str, Any], weights: Mapping[str, Tensor]) -> Decoder:
        """From a configuration as `count_parameters` takes it."""
        return cls(
            {name: weight.to(torch.float64) for name, weight in weights.items()},
            config["n_blocks"],
            config["n_heads"],
            config["n_kv_heads"],
            config["d_model"] // config["n_heads"],
        )

    def block(self, index: int) -> dict[str, Tensor]:
        """The weights of one block, under the keys of `llama_block`."""
        prefix = f"blocks.{index}."
        return {name.removeprefix(prefix): w for name, w in self.weights.items() if name.startswith(prefix)}
