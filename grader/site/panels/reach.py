"""How far back each block of the course's model reads: what it looks at, and what it cannot do without.

A weight says where a block looks, not what it makes of it. So the view of one block at a time is cut to its newest
tokens, and the loss of the whole model tells what that block had from farther back.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor

from grader.capstone.corpus import windows
from grader.lab.llama import logits
from grader.run.functions import Functions
from grader.run.stages import projections, stream
from grader.site.panels.storyteller import config, decoder
from reference.attention import attention, attention_scores, causal_mask
from reference.heads import repeat_kv
from reference.objective import cross_entropy, shift_targets
from reference.positions import apply_rope_half

SPANS = (2, 4, 8, 16, 32)
"""How many of the newest tokens, its own included, a block may still see."""
TEXTS, LENGTH = 8, 80
_SEED = 7


@cache
def held_out() -> Tensor:
    """Texts that the model was not trained on, `(8, 80)`."""
    return windows(_SEED, TEXTS, LENGTH, held_out=True)


def narrowed(functions: Functions, _: Functions) -> Any:
    """`(N, spans)`: how much the mean loss rises when one block alone sees no more than its newest tokens.

    The masks come from `functions`, all else from the reference.
    """
    masks = [functions.call("attention.sliding_window_mask", LENGTH, LENGTH, span) for span in SPANS]
    n_blocks, everything = decoder().n_blocks, causal_mask(LENGTH, LENGTH)
    usual = loss_with([everything] * n_blocks, held_out())
    return [
        [loss_with([mask if n == block else everything for n in range(n_blocks)], held_out()) - usual for mask in masks]
        for block in range(n_blocks)
    ]


def loss_with(masks: list[Tensor], tokens: Tensor) -> float:
    """The mean loss on texts `(B, T)` when each block attends by a mask `(T, T)` of its own."""
    model = decoder()
    group = model.n_heads // model.n_kv_heads

    def attend(block: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return attention(q, repeat_kv(k, group), repeat_kv(v, group), masks[block])

    inputs, targets = shift_targets(tokens)
    foretold = logits(tokens, model.weights, config(), attend)[:, : inputs.shape[1]]  # (B, T-1, V)
    return float(cross_entropy(foretold, targets))


def mean_distance(functions: Functions, tokens: Tensor) -> Tensor:
    """`(N, B, T)`: how many tokens back each block looks from each position, as its weights say, mean of the heads."""
    model, seq = decoder(), tokens.shape[1]
    states, mask = stream(model, tokens), causal_mask(seq, seq)
    back = (torch.arange(seq)[:, None] - torch.arange(seq)).to(torch.float64)  # (T, T)
    found = []
    for block in range(model.n_blocks):
        q, k, _, angles = projections(model, block, states[block])
        keys = repeat_kv(apply_rope_half(k, angles), model.n_heads // model.n_kv_heads)
        scores = attention_scores(apply_rope_half(q, angles), keys)  # (B, H, T, T)
        weights = functions.call("attention.attention_weights", scores, mask=mask)
        found.append((weights * back).sum(-1).mean(1))  # (B, T)
    return torch.stack(found)
