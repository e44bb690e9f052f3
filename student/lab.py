"""The lab: Predict bytes and operations before a run, choose what a memory keeps, find by intervention what a model
reads, and report an experiment that claims nothing it did not measure.

Read lessons/lab/lesson.md, then fill in the functions from top to bottom.

Your functions of earlier lessons may be used here: `from .block import ...`.

    anatomy grade lab                 grade the whole lesson
    anatomy grade lab.kv_cache_bytes  grade one function
    anatomy hint lab.kv_cache_bytes   when you are stuck
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def kv_cache_bytes(n_blocks: int, n_kv_heads: int, head_width: int, seq: int, batch: int, bytes_per_value: int) -> int:
    """Bytes that the keys and values of all blocks take.

    Args:
        n_blocks: N.
        n_kv_heads: Hkv: keys and values are kept before they are repeated for the query heads.
        head_width: K.
        seq: T, the tokens kept of each sequence.
        batch: sequences; may be 0.
        bytes_per_value: 4 for float32, 2 for bfloat16 and float16, 1 for 8 bits.

    Returns:
        A whole number of bytes: 2,147,483,648 for one sequence of 4,096 tokens in LLaMA-2 7B in 16 bits.

    Source: the shapes of `append_cache`, added up; Shazeer (2019), arXiv:1911.02150, on why they matter.
    """
    # TODO: Multiply out the sizes of all keys and values, in bytes.
    raise NotImplementedError


def forward_flops(config: dict[str, Any], seq: int) -> int:
    """Floating-point operations of the matrix products in one forward pass of one sequence through a llama.

    A product of `(a, b)` and `(b, c)` counts `2abc`: a multiplication and an addition for each triple. In every block:
    the projections q, k, v and o, the scores and the weighted means of all T by T pairs (none left out for causality),
    and the three matrices of SwiGLU; at the end all T rows of logits. Nothing else counts: no norm, softmax, rotation,
    activation, residual or embedding lookup.

    Args:
        config: as `count_parameters` takes it, family llama: `vocab` V, `d_model` D, `n_blocks` N, `n_heads` H,
            `n_kv_heads` Hkv, `d_hidden` F; `max_positions` and `tied` have no say. All nine keys are there.
        seq: T.

    Returns:
        A whole number: 14,081,050,279,936 for LLaMA-7B on 1,024 tokens.

    Source: the products of `llama`, added up; Chowdhery et al. (2022), arXiv:2204.02311, appendix B, counts the pairs
        in full too.
    """
    # TODO: Add up the operations of all matrix products: blocks, then logits.
    raise NotImplementedError


def retain(scores: Tensor, budget: int, n_sink: int = 0, n_recent: int = 0) -> Tensor:
    """Choose which of T units stay when only `budget` may: sinks and recent ones first, then by score.

    Args:
        scores: `(T,)` finite numbers, one for each unit, the oldest first: how much a unit is worth.
        budget: units that may stay; may be 0 or larger than T.
        n_sink: so many of the first units stay whatever their scores.
        n_recent: so many of the last units stay whatever their scores.

    Returns:
        `(min(budget, T),)` int64 indices, in rising order, each once. The places that sinks and recent units leave
        free, also where the two overlap, go to the highest scores; among equal scores to the earlier unit.

    Raises:
        ValueError: `n_sink + n_recent` is larger than the budget.

    Source: Xiao et al. (2023), arXiv:2309.17453, section 3 (sinks and recent tokens); Zhang et al. (2023),
        arXiv:2306.14048 (highest scores and recent tokens).
    """
    # TODO: Keep sinks and recent units, fill the rest of the budget by score, return rising indices.
    raise NotImplementedError


def probe_receptive_field(model: Callable[[Tensor], Tensor], tokens: Tensor, position: int) -> Tensor:
    """Find by intervention which input positions can change the logits at one position.

    One token at a time is replaced by other ids of the vocabulary, the rest staying as it is. A position counts if any
    of the V logits at `position` comes out different in any bit.

    Args:
        model: takes tokens `(1, T)` int64 with ids in `0..V-1` and gives logits `(1, T, V)`, the same ones for the same
            tokens. It is called with one sequence at a time.
        tokens: `(1, T)` int64, the sequence around which the field is probed.
        position: 0 to T-1.

    Returns:
        `(T,)` bool: True where a replaced token changes the logits at `position`.

    Source: the definition of dependence by intervention: change one cause, hold the others, look at the effect.
    """
    # TODO: Replace one token at a time and see whether the logits at position change.
    raise NotImplementedError
