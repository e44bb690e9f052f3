"""The stages of the model: at each one the exercise that computes it, and the question it is asked there.

The questions are made with the reference's numbers, so that a fault shows at its own stage and nowhere below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.judge.probe import Probe
from grader.run.decoder import Decoder
from reference.attention import attention, attention_scores, causal_mask
from reference.block import llama_block
from reference.feedforward import swiglu
from reference.heads import merge_heads, repeat_kv, split_heads
from reference.model import llama
from reference.normalization import rms_norm
from reference.objective import embed
from reference.positions import apply_rope_half, rope_angles


@dataclass(frozen=True)
class Stage:
    """One step on the way through the model. block: None outside the blocks."""

    name: str
    exercise: str
    probe: Probe
    block: int | None = None


def stream(model: Decoder, tokens: Tensor) -> list[Tensor]:
    """The residual stream `(1, T, D)` before the first block, after it, ..., after the last."""
    h = embed(tokens, model.weights["wte"])
    states, positions = [h], torch.arange(tokens.shape[1])
    for index in range(model.n_blocks):
        h = llama_block(h, model.block(index), model.n_heads, model.n_kv_heads, positions, model.base, model.eps)
        states.append(h)
    return states


def embedding(model: Decoder, tokens: Tensor) -> Stage:
    """Token ids to vectors."""
    return Stage("embedding", "objective.embed", Probe((tokens, model.weights["wte"])))


def block(model: Decoder, index: int, h: Tensor) -> Stage:
    """A block as a whole, given the stream before it."""
    positions = torch.arange(h.shape[1])
    args = (h, model.block(index), model.n_heads, model.n_kv_heads, positions)
    kwargs = {"base": model.base, "eps": model.eps}
    return Stage(f"block {index}", "block.llama_block", Probe(args, kwargs), index)


def closing(model: Decoder, tokens: Tensor, last: Tensor) -> list[Stage]:
    """From the stream after the last block to the logits, and the model as a whole."""
    normed = rms_norm(last, model.weights["norm_f.weight"], model.eps)
    args = (tokens, model.weights, model.n_heads, model.n_kv_heads)
    return [
        Stage("final norm", "normalization.rms_norm", _norm(last, model.weights["norm_f.weight"], model.eps)),
        Stage("unembedding", "objective.unembed", Probe((normed, model.weights["wte"]))),
        Stage("whole model", "model.llama", Probe(args, {"base": model.base, "eps": model.eps})),
    ]


def inside(model: Decoder, index: int, h: Tensor) -> Iterator[Stage]:
    """The stages of one block, in order."""
    weights = model.block(index)
    mlp = {name.removeprefix("mlp."): w for name, w in weights.items() if name.startswith("mlp.")}
    x = rms_norm(h, weights["norm1.weight"], model.eps)
    q, k, v, angles = projections(model, index, h)
    turned_q, turned_k = apply_rope_half(q, angles), apply_rope_half(k, angles)
    group = model.n_heads // model.n_kv_heads
    keys, values, seq = repeat_kv(turned_k, group), repeat_kv(v, group), h.shape[1]
    mask = causal_mask(seq, seq)
    scores = attention_scores(turned_q, keys)
    context = attention(turned_q, keys, values, mask)
    attended = merge_heads(context) @ weights["attn.wo"].T
    middle = h + attended
    x2 = rms_norm(middle, weights["norm2.weight"], model.eps)
    gate = x2 @ weights["mlp.w_gate"].T

    def norm(weight: Tensor) -> Callable[[Tensor], Tensor]:
        return lambda stream: rms_norm(stream, weight, model.eps)

    steps: list[tuple[str, str, Probe]] = [
        ("norm 1", "normalization.rms_norm", _norm(h, weights["norm1.weight"], model.eps)),
        ("queries into heads", "heads.split_heads", Probe((x @ weights["attn.wq"].T, model.n_heads))),
        ("keys into heads", "heads.split_heads", Probe((x @ weights["attn.wk"].T, model.n_kv_heads))),
        ("values into heads", "heads.split_heads", Probe((x @ weights["attn.wv"].T, model.n_kv_heads))),
        ("rotary angles", "positions.rope_angles", Probe((torch.arange(seq), model.head_width), {"base": model.base})),
        ("rotation of the queries", "positions.apply_rope_half", Probe((q, angles))),
        ("rotation of the keys", "positions.apply_rope_half", Probe((k, angles))),
        ("keys for every query head", "heads.repeat_kv", Probe((turned_k, group))),
        ("values for every query head", "heads.repeat_kv", Probe((v, group))),
        ("causal mask", "attention.causal_mask", Probe((seq, seq))),
        ("scores", "attention.attention_scores", Probe((turned_q, keys))),
        ("softmax of the scores", "objective.softmax", Probe((scores.masked_fill(~mask, -torch.inf),))),
        ("attention weights", "attention.attention_weights", Probe((scores,), {"mask": mask})),
        ("context", "attention.attention", Probe((turned_q, keys, values), {"mask": mask})),
        ("heads put together", "heads.merge_heads", Probe((context,))),
        ("first addition", "block.pre_norm", Probe((h, norm(weights["norm1.weight"]), lambda _: attended))),
        ("norm 2", "normalization.rms_norm", _norm(middle, weights["norm2.weight"], model.eps)),
        ("gate", "feedforward.silu", Probe((gate,))),
        ("feed-forward network", "feedforward.swiglu", Probe((x2, mlp))),
        (
            "second addition",
            "block.pre_norm",
            Probe((middle, norm(weights["norm2.weight"]), lambda x: swiglu(x, mlp))),
        ),
    ]
    for name, exercise, probe in steps:
        yield Stage(name, exercise, probe, index)


def other_orders(model: Decoder, index: int, h: Tensor) -> Iterator[Stage]:
    """Calls that are as right as those of `inside`: heads may be repeated before they are turned."""
    _, k, _, angles = projections(model, index, h)
    group = model.n_heads // model.n_kv_heads
    yield Stage("keys for every query head", "heads.repeat_kv", Probe((k, group)), index)
    yield Stage("rotation of the keys", "positions.apply_rope_half", Probe((repeat_kv(k, group), angles)), index)


def projections(model: Decoder, index: int, h: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Queries `(1, H, T, K)`, keys and values `(1, Hkv, T, K)` before they are turned, and the angles `(T, K/2)`."""
    weights = model.block(index)
    x = rms_norm(h, weights["norm1.weight"], model.eps)
    q = split_heads(x @ weights["attn.wq"].T, model.n_heads)
    k = split_heads(x @ weights["attn.wk"].T, model.n_kv_heads)
    v = split_heads(x @ weights["attn.wv"].T, model.n_kv_heads)
    return q, k, v, rope_angles(torch.arange(h.shape[1]), model.head_width, model.base)


def prefill_then_steps(function: Callable[..., Any], q: Tensor, k: Tensor, v: Tensor, first: int) -> Any:
    """All but the last tokens at once, then one token after another."""
    output, cache = function(q[:, :, :first], k[:, :, :first], v[:, :, :first], None)
    outputs = [output]
    for t in range(first, q.shape[2]):
        step = slice(t, t + 1)
        output, cache = function(q[:, :, step], k[:, :, step], v[:, :, step], cache)
        outputs.append(output)
    return outputs


def decoding(model: Decoder, tokens: Tensor, states: list[Tensor], most: int) -> Iterator[Stage]:
    """The cache in every block, and the loop that generates."""
    for index in range(model.n_blocks):
        q, k, v, angles = projections(model, index, states[index])
        q, k = apply_rope_half(q, angles), apply_rope_half(k, angles)
        last = tokens.shape[1] - 1
        if last:
            pair = (k[:, :, :last], v[:, :, :last])
            probe = Probe((pair, k[:, :, last:], v[:, :, last:]))
            yield Stage("growing cache", "decoding.append_cache", probe, index)
        first = max(1, tokens.shape[1] - 2)
        probe = Probe((q, k, v, first), play=prefill_then_steps)
        yield Stage("attention with a cache", "decoding.attend_cached", probe, index)

    def next_logits(some: Tensor) -> Tensor:
        return llama(some, model.weights, model.n_heads, model.n_kv_heads, model.base, model.eps)

    yield Stage("generation", "decoding.generate", Probe((next_logits, tokens, most, tokens.shape[1] + most)))


def _norm(h: Tensor, weight: Tensor, eps: float) -> Probe:
    return Probe((h, weight), {"eps": eps})
