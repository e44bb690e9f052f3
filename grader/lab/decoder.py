"""A small decoder put together from the course's own functions, with the parts that the experiments change.

Symbols: B batch, T sequence length, D model width, H heads, K head width, F hidden width, V vocabulary, N blocks.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from reference.attention import attention_scores, attention_weights, causal_mask
from reference.block import post_norm, pre_norm
from reference.feedforward import feed_forward
from reference.heads import merge_heads, split_heads
from reference.normalization import layer_norm
from reference.objective import cross_entropy, embed, unembed
from reference.positions import alibi_bias, apply_rope_half, rope_angles, sinusoidal_positions

Placement = Literal["pre-norm", "post-norm"]
Positions = Literal["none", "sinusoidal", "rope", "alibi"]
Batches = Callable[[int], Tensor]
"""Step number -> tokens `(B, T)` int64."""

_HEAD_STD = 0.02  # small first logits: the loss starts at log V whatever the depth


@dataclass(frozen=True, slots=True)
class Decoder:
    """What a model looks like. `norm` says where the LayerNorms stand, `positions` how it knows the order of tokens."""

    vocab: int
    d_model: int
    n_heads: int
    d_hidden: int
    n_blocks: int
    norm: Placement = "pre-norm"
    positions: Positions = "sinusoidal"

    def init(self, seed: int) -> dict[str, Tensor]:
        """Draw the first weights: matrices with variance 1/fan-in, so that a sublayer keeps the scale of its input.

        The usual 0.02 would make every sublayer of so narrow a model nearly silent, and hide what depth does.
        """
        generator = torch.Generator().manual_seed(seed)

        def normal(rows: int, columns: int, std: float) -> Tensor:
            return torch.randn(rows, columns, generator=generator) * std  # (rows, columns)

        D, F = self.d_model, self.d_hidden
        weights = {"wte": normal(self.vocab, D, 1.0), "lm_head": normal(self.vocab, D, _HEAD_STD)}  # (V, D) each
        for n in range(self.n_blocks):
            for letter in "qkvo":
                weights[f"{n}.w{letter}"] = normal(D, D, 1 / math.sqrt(D))  # (D, D)
            weights[f"{n}.w_in"] = normal(F, D, 1 / math.sqrt(D))  # (F, D)
            weights[f"{n}.w_out"] = normal(D, F, 1 / math.sqrt(F))  # (D, F)
            weights |= {f"{n}.b_in": torch.zeros(F), f"{n}.b_out": torch.zeros(D)}  # (F,), (D,)
            for name in ("ln1", "ln2"):
                weights |= {f"{n}.{name}.gamma": torch.ones(D), f"{n}.{name}.beta": torch.zeros(D)}  # (D,) each
        if self.norm == "pre-norm":  # with post-norm the last block has normalized already
            weights |= {"ln_f.gamma": torch.ones(D), "ln_f.beta": torch.zeros(D)}  # (D,) each
        return weights

    def logits(self, tokens: Tensor, weights: dict[str, Tensor]) -> Tensor:
        """Next-token scores, `(B, T)` int64 -> `(B, T, V)`."""
        seq = tokens.shape[1]
        h = embed(tokens, weights["wte"])  # (B, T, D)
        if self.positions == "sinusoidal":
            h = h + sinusoidal_positions(seq, self.d_model)  # (B, T, D)
        turn, bias = self._turn(seq), self._bias(seq)
        place = pre_norm if self.norm == "pre-norm" else post_norm
        for n in range(self.n_blocks):
            h = place(h, _norm(weights, f"{n}.ln1"), self._attend(weights, n, turn, bias))  # (B, T, D)
            h = place(h, _norm(weights, f"{n}.ln2"), _feed_forward(weights, n))  # (B, T, D)
        if self.norm == "pre-norm":
            h = _norm(weights, "ln_f")(h)  # (B, T, D)
        return unembed(h, weights["lm_head"])  # (B, T, V)

    def loss(self, tokens: Tensor, weights: dict[str, Tensor]) -> Tensor:
        """Mean next-token loss of `(B, T)` tokens in nats, a scalar: T - 1 targets a row."""
        return cross_entropy(self.logits(tokens[:, :-1], weights), tokens[:, 1:])  # ()

    def _turn(self, seq: int) -> Callable[[Tensor], Tensor]:
        if self.positions != "rope":
            return lambda x: x
        angles = rope_angles(torch.arange(seq), self.d_model // self.n_heads)  # (T, K/2)
        return lambda x: apply_rope_half(x, angles)

    def _bias(self, seq: int) -> Tensor:
        """What is added to the scores, `(T, T)` or `(H, T, T)`: at least `-inf` for the keys after the query."""
        if self.positions == "alibi":
            return alibi_bias(self.n_heads, seq, seq)  # (H, T, T)
        return torch.zeros(seq, seq).masked_fill(~causal_mask(seq, seq), -math.inf)  # (T, T)

    def _attend(
        self, weights: dict[str, Tensor], n: int, turn: Callable[[Tensor], Tensor], bias: Tensor
    ) -> Callable[[Tensor], Tensor]:
        def attend(x: Tensor) -> Tensor:
            q, k, v = (split_heads(x @ weights[f"{n}.w{letter}"].T, self.n_heads) for letter in "qkv")  # (B, H, T, K)
            shares = attention_weights(attention_scores(turn(q), turn(k)) + bias)  # (B, H, T, T)
            return merge_heads(shares @ v) @ weights[f"{n}.wo"].T  # (B, T, D)

        return attend


def train(
    model: Decoder, weights: dict[str, Tensor], batches: Batches, steps: int, lr: float, warmup: int = 0
) -> Iterator[float]:
    """Train `weights` in place with Adam and yield the loss of every step, before its update.

    The learning rate rises in a straight line over `warmup` steps and then stays. It ends early once the loss is no
    longer finite.
    """
    parameters = [weight.requires_grad_() for weight in weights.values()]
    optimizer = torch.optim.Adam(parameters, lr=lr, betas=(0.9, 0.95), fused=True)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = lr * min(1.0, (step + 1) / warmup) if warmup else lr
        loss = model.loss(batches(step), weights)  # ()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        optimizer.step()
        value = float(loss.detach())
        yield value
        if not math.isfinite(value):
            return


def _norm(weights: dict[str, Tensor], name: str) -> Callable[[Tensor], Tensor]:
    gamma, beta = weights[f"{name}.gamma"], weights[f"{name}.beta"]  # (D,) each
    return lambda x: layer_norm(x, gamma, beta)


def _feed_forward(weights: dict[str, Tensor], n: int) -> Callable[[Tensor], Tensor]:
    mlp = {key: weights[f"{n}.{key}"] for key in ("w_in", "b_in", "w_out", "b_out")}
    return lambda x: feed_forward(x, mlp)
