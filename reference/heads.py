"""Many heads: attention in several narrow subspaces at once, and key-value heads shared by groups of queries.

Symbols: B batch, T sequence length, D model width, H query heads, Hkv key-value heads, K head width, so that D = H*K.
"""

from torch import Tensor

from .attention import attention, causal_mask


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
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"a width of {width} cannot be cut into {n_heads} heads of equal width")
    return x.reshape(batch, seq, n_heads, width // n_heads).transpose(1, 2)  # (B, H, T, K)


def merge_heads(x: Tensor) -> Tensor:
    """Put the heads of every token side by side again: the exact inverse of `split_heads`.

    Args:
        x: `(B, H, T, K)`; B may be 0.

    Returns:
        `(B, T, H*K)` in the dtype of `x`: the K features of head 0, then those of head 1, and so on.

    Source: Vaswani et al. (2017), Attention Is All You Need, arXiv:1706.03762, section 3.2.2 (Concat).
    """
    return x.transpose(1, 2).flatten(start_dim=2)  # (B, T, H*K)


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
    if n_repeats < 1:
        raise ValueError(f"each key-value head must serve at least 1 query head, not {n_repeats}")
    return x.repeat_interleave(n_repeats, dim=1)  # (B, Hkv*n_repeats, T, K)


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
    q = split_heads(_project(x, weights, "q"), n_heads)  # (B, H, T, K)
    k = split_heads(_project(x, weights, "k"), n_heads)  # (B, H, T, K)
    v = split_heads(_project(x, weights, "v"), n_heads)  # (B, H, T, K)
    context = attention(q, k, v, _causal_unless_given(mask, x))  # (B, H, T, K)
    return _project(merge_heads(context), weights, "o")  # (B, T, D)


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
    if n_kv_heads < 1 or n_heads % n_kv_heads:
        raise ValueError(f"{n_heads} query heads cannot be shared out among {n_kv_heads} key-value heads")
    group = n_heads // n_kv_heads
    q = split_heads(_project(x, weights, "q"), n_heads)  # (B, H, T, K)
    k = repeat_kv(split_heads(_project(x, weights, "k"), n_kv_heads), group)  # (B, H, T, K)
    v = repeat_kv(split_heads(_project(x, weights, "v"), n_kv_heads), group)  # (B, H, T, K)
    context = attention(q, k, v, _causal_unless_given(mask, x))  # (B, H, T, K)
    return _project(merge_heads(context), weights, "o")  # (B, T, D)


def _project(x: Tensor, weights: dict[str, Tensor], name: str) -> Tensor:
    """One linear map, `x W^T + b`, without the bias where `weights` has none."""
    out = x @ weights[f"w{name}"].T  # (B, T, out)
    bias = weights.get(f"b{name}")  # (out,)
    return out if bias is None else out + bias  # (B, T, out)


def _causal_unless_given(mask: Tensor | None, x: Tensor) -> Tensor:
    """The mask that was given, or the causal one of all T positions."""
    return causal_mask(x.shape[1], x.shape[1]) if mask is None else mask  # (T, T) or as given
