"""Heads: Build multi-head and grouped-query attention from weights as libraries store them, and say what each choice
costs.

Read lessons/heads/lesson.md, then fill in the functions from top to bottom.

Your functions of earlier lessons may be used here: `from .attention import ...`.

    anatomy grade heads              grade the whole lesson
    anatomy grade heads.split_heads  grade one function
    anatomy hint heads.split_heads   when you are stuck
"""

import torch
from torch import Tensor


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """Cut the features of every token into heads and put the head axis in front of the sequence.

    Head h owns the features `h*K .. (h+1)*K-1`. No number changes, numbers only move; the result may be a view.

    Args:
        x: `(B, T, H*K)`; B may be 0.
        n_heads: H.

    Returns:
        `(B, H, T, K)` in the dtype of `x`.

    Raises:
        ValueError: the width of `x` is not divisible by `n_heads`.

    Source: Vaswani et al. (2017), Attention Is All You Need, arXiv:1706.03762, section 3.2.2.
    """
    # TODO: Cut the last axis into n_heads neighbouring stretches and move the head axis in front of time.
    raise NotImplementedError


def merge_heads(x: Tensor) -> Tensor:
    """Put the heads of every token side by side again: the exact inverse of `split_heads`.

    Args:
        x: `(B, H, T, K)`; B may be 0.

    Returns:
        `(B, T, H*K)` in the dtype of `x`: the K features of head 0, then those of head 1, and so on.

    Source: Vaswani et al. (2017), Attention Is All You Need, arXiv:1706.03762, section 3.2.2 (Concat).
    """
    # TODO: Bring the heads of each token side by side again: the exact inverse of split_heads.
    raise NotImplementedError


def repeat_kv(x: Tensor, n_repeats: int) -> Tensor:
    """Give every query head a key or value head of its own to read: each one serves `n_repeats` neighbours.

    With two heads and three repeats the order is 0, 0, 0, 1, 1, 1. The copies share their gradient: it adds up.

    Args:
        x: `(B, Hkv, T, K)` keys or values; B may be 0.
        n_repeats: query heads for each key-value head, at least 1.

    Returns:
        `(B, Hkv*n_repeats, T, K)` in the dtype of `x`; head h is head `h // n_repeats` of `x`.

    Raises:
        ValueError: `n_repeats` is below 1.

    Source: Ainslie et al. (2023), GQA, arXiv:2305.13245, section 2.2.
    """
    # TODO: Repeat every key-value head n_repeats times, copies side by side.
    raise NotImplementedError


def multi_head_attention(x: Tensor, weights: dict[str, Tensor], n_heads: int, mask: Tensor | None = None) -> Tensor:
    """Self-attention in H subspaces of width K = D / H, each with queries, keys and values of its own.

    Args:
        x: `(B, T, D)` hidden states, float64, float32, bfloat16 or float16; B may be 0.
        weights: `wq, wk, wv, wo`, each `(D, D)` as `(out, in)`, in the dtype of `x`; rows `h*K .. (h+1)*K-1` of the
            first three belong to head h. `bq, bk, bv, bo`, each `(D,)`, are added where they are present. Other keys
            are ignored.
        n_heads: H.
        mask: bool, broadcast to `(B, H, T, T)`, True where a query may attend to a key; it replaces the causal mask.
            None means causal.

    Returns:
        `(B, T, D)` in the dtype of `x`. A query that may attend to nothing has context 0: only `bo` is left of it.

    Raises:
        ValueError: D is not divisible by `n_heads`.

    Source: Vaswani et al. (2017), Attention Is All You Need, arXiv:1706.03762, section 3.2.2.
    """
    # TODO: Project to q, k and v, attend in every head, merge, and project the result; causal unless a mask is given.
    raise NotImplementedError


def grouped_query_attention(
    x: Tensor, weights: dict[str, Tensor], n_heads: int, n_kv_heads: int, mask: Tensor | None = None
) -> Tensor:
    """Self-attention with H query heads that share Hkv key-value heads, H / Hkv neighbours each.

    `n_kv_heads == n_heads` is multi-head attention, 1 is multi-query attention.

    Args:
        x: `(B, T, D)` hidden states, float64, float32, bfloat16 or float16; B may be 0.
        weights: as in `multi_head_attention`, but `wk` and `wv` are `(Hkv*K, D)`, and `bk` and `bv`, where present,
            `(Hkv*K,)`.
        n_heads: H.
        n_kv_heads: Hkv.
        mask: bool, broadcast to `(B, H, T, T)`, True where a query may attend to a key; it replaces the causal mask.
            None means causal.

    Returns:
        `(B, T, D)` in the dtype of `x`. A query that may attend to nothing has context 0: only `bo` is left of it.

    Raises:
        ValueError: `n_heads` is not divisible by `n_kv_heads`, or D not by `n_heads`.

    Source: Ainslie et al. (2023), GQA, arXiv:2305.13245, section 2.2; with one head Shazeer (2019), arXiv:1911.02150.
    """
    # TODO: Multi-head attention in which each key-value head serves a group of neighbouring query heads.
    raise NotImplementedError
