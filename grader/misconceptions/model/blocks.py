"""The blocks that the two models are made of, without switches."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.misconceptions.model.shared import Weights


def attend(x: Tensor, w: Weights, n_heads: int, n_kv_heads: int, turn: Callable[[Tensor], Tensor]) -> Tensor:
    """Causal attention with shared heads and optional biases, queries and keys turned: `(B, T, D)` -> `(B, T, D)`."""
    batch, seq, width = x.shape
    k_width = width // n_heads

    def heads(letter: str, count: int) -> Tensor:
        rows = F.linear(x, w[f"attn.w{letter}"], w.get(f"attn.b{letter}"))
        return rows.view(batch, seq, count, k_width).transpose(1, 2)

    q, k, v = heads("q", n_heads), heads("k", n_kv_heads), heads("v", n_kv_heads)
    k, v = (t.repeat_interleave(n_heads // n_kv_heads, 1) for t in (turn(k), v))
    scores = turn(q) @ k.mT / math.sqrt(k_width)
    future = torch.ones(seq, seq, dtype=torch.bool).triu(1)
    context = scores.masked_fill(future, -math.inf).softmax(-1) @ v
    return F.linear(context.transpose(1, 2).reshape(x.shape), w["attn.wo"], w.get("attn.bo"))


def gpt2_block(h: Tensor, w: Weights, n_heads: int) -> Tensor:
    """A block of GPT-2 on torch's own layers."""
    width = h.shape[-1:]
    x = F.layer_norm(h, width, w["ln1.gamma"], w["ln1.beta"])
    h = h + attend(x, w, n_heads, n_heads, lambda t: t)
    x = F.layer_norm(h, width, w["ln2.gamma"], w["ln2.beta"])
    x = F.gelu(F.linear(x, w["mlp.w_in"], w["mlp.b_in"]), approximate="tanh")
    return h + F.linear(x, w["mlp.w_out"], w["mlp.b_out"])


def llama_block(
    h: Tensor, w: Weights, n_heads: int, n_kv_heads: int, positions: Tensor, base: float, eps: float
) -> Tensor:
    """A block of LLaMA on torch's own layers."""
    width = h.shape[-1:]
    k_width = h.shape[-1] // n_heads
    # float32, as the course gives angles; cosines in the precision of the stream
    frequencies = base ** -(torch.arange(0, k_width, 2, dtype=torch.float64) / k_width)
    angles = torch.outer(positions.double(), frequencies).float().to(torch.promote_types(h.dtype, torch.float32))

    def turn(x: Tensor) -> Tensor:
        a, b = x.tensor_split(2, dim=-1)
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)

    x = F.rms_norm(h, width, w["norm1.weight"], eps)
    h = h + attend(x, w, n_heads, n_kv_heads, turn)
    x = F.rms_norm(h, width, w["norm2.weight"], eps)
    return h + F.linear(F.silu(F.linear(x, w["mlp.w_gate"])) * F.linear(x, w["mlp.w_up"]), w["mlp.w_down"])
