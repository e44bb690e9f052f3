"""Known mistakes of grouped-query attention."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.heads.layer import (
    ATTENTION_DRIFT,
    BIASES,
    BOTH_CUTS,
    COMPETING,
    EMPTY_ROWS,
    MASKS,
    PROJECTIONS,
    SCALE,
    attended,
    cut,
    linear,
    meddle,
    result_of,
    sources,
    widened,
)
from grader.misconceptions.heads.shared import about, catalogue, refusal, refuse


def for_each_query_head(wrong: Wrong, kv: Tensor, n_heads: int) -> Tensor:
    """`(B, Hkv, T, K)` -> `(B, H, T, K)`."""
    n_kv_heads = kv.shape[1]
    query_heads = torch.arange(n_heads // n_kv_heads * n_kv_heads)
    if wrong("tiled"):
        return kv[:, query_heads % n_kv_heads]
    if wrong("divides-by-kv-heads"):
        return kv[:, query_heads // n_kv_heads]
    if wrong("first-kv-head-only"):
        return kv[:, :1]
    if wrong("averages-kv-heads"):
        return kv.mean(1, keepdim=True)
    return kv[:, query_heads // max(1, n_heads // n_kv_heads)]


@catalogue.flawed(
    "grouped_query_attention",
    *about(
        "which-query-heads-share",
        {
            "tiled": "Query heads 0 and Hkv share a key-value head; neighbours should: 0, 0, 1, 1, not 0, 1, 0, 1.",
            "divides-by-kv-heads": "The key-value head of query head h is taken to be h // Hkv; divide by the size of "
            "a group, H / Hkv.",
            "first-kv-head-only": "Every query head reads key-value head 0; each group has its own.",
            "averages-kv-heads": "The key-value heads are averaged; each group reads its own.",
            "averages-queries": "The queries of a group are averaged; they share keys and values only.",
            "root-of-group-width": "The head width is taken to be D / Hkv; it is D / H for queries, keys and values.",
        },
    ),
    *BOTH_CUTS,
    *PROJECTIONS,
    *BIASES,
    *SCALE,
    *MASKS,
    *EMPTY_ROWS,
    *COMPETING,
    *refusal("test_heads_not_divisible"),
    *ATTENTION_DRIFT,
)
def grouped_query_attention(
    wrong: Wrong,
    x: Tensor,
    weights: dict[str, Tensor],
    n_heads: int,
    n_kv_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """Multi-head attention whose keys and values are handed to several query heads each."""
    refuse(wrong, n_heads % n_kv_heads != 0, "heads not divisible")
    meddle(wrong, weights, x.shape[-1] // n_heads)
    wide, wide_weights = widened(x, weights)
    made_by = sources(wrong)
    q = cut(wrong, linear(wrong, wide, wide_weights, "q"), n_heads)
    k, v = (cut(wrong, linear(wrong, wide, wide_weights, made_by[letter]), n_kv_heads) for letter in "kv")
    k, v = (for_each_query_head(wrong, kv, n_heads) for kv in (k, v))
    if wrong("averages-queries"):
        group = n_heads // n_kv_heads
        q = torch.unflatten(q, 1, (n_kv_heads, group)).mean(2).repeat_interleave(group, 1)
    if wrong("root-of-group-width"):
        q = q * math.sqrt(n_kv_heads / n_heads)
    return result_of(wrong, x, wide_weights, attended(wrong, q, k, v, mask), mask)
