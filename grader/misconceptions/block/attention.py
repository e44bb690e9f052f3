"""Attention inside a block, which both blocks share."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.block.shared import about

ATTENTION = about(
    "attention-inside-the-block",
    {
        "not-causal": "Every position sees every other; in a decoder none may look ahead.",
        "hides-own-position": "A position does not see itself; it should.",
        "no-scale": "The scores are not divided by the root of the head width K.",
        "divides-by-head-width": "The scores are divided by the head width K itself: the root is missing, or the scale "
        "is applied twice.",
        "root-of-model-width": "The scores are divided by the root of the model width D; each head compares vectors of "
        "its own width K.",
        "output-projection-missing": "The merged heads are not projected by attn.wo.",
    },
)


def heads_of(x: Tensor, n_heads: int) -> Tensor:
    """`(B, T, H*K)` -> `(B, H, T, K)`."""
    return torch.unflatten(x, -1, (n_heads, x.shape[-1] // n_heads)).transpose(1, 2)


def attended(wrong: Wrong, q: Tensor, k: Tensor, v: Tensor, order: Tensor | None = None) -> Tensor:
    """Merged contexts `(B, T, D)`. `order`: positions that decide who is earlier, by default the index."""
    batch, n_heads, seq, width = q.shape
    place = torch.arange(seq) if order is None else order
    seen = place < place[:, None] if wrong("hides-own-position") else place <= place[:, None]
    if wrong("not-causal"):
        seen = torch.ones_like(seen)
    divisor = math.sqrt(width * n_heads if wrong("root-of-model-width") else width)
    if wrong("divides-by-head-width"):
        divisor = width
    scores = q @ k.mT / (1.0 if wrong("no-scale") else divisor)
    weights = scores.masked_fill(~seen, torch.finfo(scores.dtype).min).softmax(-1) * seen
    return (weights @ v).transpose(1, 2).reshape(batch, seq, n_heads * width)
