"""A llama whose attention can be exchanged, put together from the course's own functions.

Symbols: B batch, T sequence length, Tq new positions, D model width, H query heads, Hkv key-value heads, K head width.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from reference.block import pre_norm
from reference.decoding import attend_cached
from reference.feedforward import swiglu
from reference.heads import merge_heads, split_heads
from reference.normalization import rms_norm
from reference.objective import embed, unembed
from reference.positions import apply_rope_half, rope_angles

Attend = Callable[[int, Tensor, Tensor, Tensor], Tensor]
"""Block number, q `(B, H, Tq, K)`, k and v `(B, Hkv, Tq, K)`, q and k already turned -> `(B, H, Tq, K)`."""


def logits(
    tokens: Tensor, weights: dict[str, Tensor], config: Mapping[str, Any], attend: Attend, first_position: int = 0
) -> Tensor:
    """Next-token scores of `reference.model.llama`, with `attend` in place of its attention.

    Args:
        tokens: `(B, Tq)` int64; the first of them stands at `first_position`.
        weights: as `llama` takes them.
        config: all nine keys.
        attend: called once in each block, in order.

    Returns:
        `(B, Tq, V)`.
    """
    n_heads, n_kv_heads = config["n_heads"], config["n_kv_heads"]
    positions = torch.arange(first_position, first_position + tokens.shape[1])  # (Tq,)
    angles = rope_angles(positions, config["d_model"] // n_heads)  # (Tq, K/2)
    h = embed(tokens, weights["wte"])  # (B, Tq, D)
    for n in range(config["n_blocks"]):
        h = _block(h, _part(weights, f"blocks.{n}"), n_heads, n_kv_heads, angles, partial(attend, n))  # (B, Tq, D)
    return unembed(rms_norm(h, weights["norm_f.weight"]), weights.get("lm_head", weights["wte"]))  # (B, Tq, V)


def _part(weights: Mapping[str, Tensor], name: str) -> dict[str, Tensor]:
    """The weights of one part under their own names: `attn.wq` as `wq`."""
    return {key.removeprefix(f"{name}."): weight for key, weight in weights.items() if key.startswith(f"{name}.")}


def _block(
    h: Tensor,
    weights: dict[str, Tensor],
    n_heads: int,
    n_kv_heads: int,
    angles: Tensor,
    attend: Callable[[Tensor, Tensor, Tensor], Tensor],
) -> Tensor:
    """`reference.block.llama_block` with another attention, `(B, Tq, D)` -> `(B, Tq, D)`."""
    attn, mlp = _part(weights, "attn"), _part(weights, "mlp")

    def attention(x: Tensor) -> Tensor:
        q = split_heads(x @ attn["wq"].T, n_heads)  # (B, H, Tq, K)
        k = split_heads(x @ attn["wk"].T, n_kv_heads)  # (B, Hkv, Tq, K)
        v = split_heads(x @ attn["wv"].T, n_kv_heads)  # (B, Hkv, Tq, K)
        context = attend(apply_rope_half(q, angles), apply_rope_half(k, angles), v)  # (B, H, Tq, K)
        return merge_heads(context) @ attn["wo"].T  # (B, Tq, D)

    h = pre_norm(h, lambda x: rms_norm(x, weights["norm1.weight"]), attention)  # (B, Tq, D)
    return pre_norm(h, lambda x: rms_norm(x, weights["norm2.weight"]), lambda x: swiglu(x, mlp))  # (B, Tq, D)


class KeyValueCache:
    """The keys and values of every block, and an `attend` that reads and extends them."""

    def __init__(self) -> None:
        self._blocks: dict[int, tuple[Tensor, Tensor]] = {}

    @property
    def length(self) -> int:
        """How many positions are kept."""
        return self._blocks[0][0].shape[2] if self._blocks else 0

    @property
    def nbytes(self) -> int:
        """What the tensors take."""
        return sum(tensor.nbytes for pair in self._blocks.values() for tensor in pair)

    def copy(self) -> "KeyValueCache":
        """A cache that can be extended without changing this one. No tensor is copied: none is ever written to."""
        other = KeyValueCache()
        other._blocks = dict(self._blocks)
        return other

    def attend(self, n: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Causal attention of new positions `(B, H, Tq, K)` over all that came before; their keys are kept."""
        output, self._blocks[n] = attend_cached(q, k, v, self._blocks.get(n))  # (B, H, Tq, K)
        return output
