"""What an experiment on a decoder must know beforehand, and how to look into one: bytes, operations, budget, field.

Symbols: T sequence length, D model width, H heads, Hkv key-value heads, K head width, F hidden width of the
feed-forward network, V vocabulary, N blocks.
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
    keys_and_values = 2
    return keys_and_values * n_blocks * batch * n_kv_heads * seq * head_width * bytes_per_value


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
    width, n_blocks = config["d_model"], config["n_blocks"]
    kv_width = config["n_kv_heads"] * (width // config["n_heads"])
    projections = seq * width * (2 * width + 2 * kv_width)  # q and o, k and v
    maps = 2 * seq * seq * width  # scores and weighted means; all heads together are D wide
    mlp = 3 * seq * width * config["d_hidden"]
    unembedding = seq * width * config["vocab"]
    multiply_adds: int = n_blocks * (projections + maps + mlp) + unembedding
    return 2 * multiply_adds


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
    if n_sink + n_recent > budget:
        raise ValueError(f"{n_sink} sinks and {n_recent} recent units are more than the budget of {budget}")
    seq = len(scores)
    kept = torch.zeros(seq, dtype=torch.bool, device=scores.device)  # (T,)
    kept[:n_sink] = True
    kept[max(seq - n_recent, 0) :] = True
    by_score = scores.argsort(descending=True, stable=True)  # (T,), equal scores in their order
    candidates = by_score[~kept[by_score]]  # (T - kept,)
    kept[candidates[: budget - int(kept.sum())]] = True
    return kept.nonzero().squeeze(1)  # (min(budget, T),)


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
    seq = tokens.shape[1]
    before = model(tokens.clone())[0, position]  # (V,)
    reached = torch.zeros(seq, dtype=torch.bool, device=tokens.device)  # (T,)
    for place in range(seq):
        others = [token for token in range(len(before)) if token != int(tokens[0, place])]
        for token in others:
            replaced = tokens.clone()  # (1, T)
            replaced[0, place] = token
            if not torch.equal(model(replaced)[0, position], before):
                reached[place] = True
                break
    return reached
