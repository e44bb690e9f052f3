"""Attention: Write causal self-attention with one head so that it is right with a cache, any mask, huge scores and
empty rows.

Read lessons/attention/lesson.md, then fill in the functions from top to bottom.

Your functions of earlier lessons may be used here: `from .objective import ...`.

    anatomy grade attention              grade the whole lesson
    anatomy grade attention.causal_mask  grade one function
    anatomy hint attention.causal_mask   when you are stuck
"""

import torch
from torch import Tensor


def causal_mask(n_queries: int, n_keys: int) -> Tensor:
    """Say which keys each query may attend to when no query may look ahead.

    The last query sits at the last key, so that a cache of earlier keys works: query i stands at position
    `i + Tk - Tq` and sees the keys `j <= i + Tk - Tq`, its own among them.

    Args:
        n_queries: Tq, at least 1.
        n_keys: Tk, at least Tq.

    Returns:
        bool `(Tq, Tk)`, True where query i may attend to key j.

    Raises:
        ValueError: more queries than keys; a query would stand before the first key.

    Source: Vaswani et al. (2017), Attention Is All You Need, arXiv:1706.03762, section 3.2.3.
    """
    # TODO: Mark the keys that stand at or before each query, with the last query at the last key.
    raise NotImplementedError


def sliding_window_mask(n_queries: int, n_keys: int, window: int) -> Tensor:
    """Say which keys each query may attend to when it sees the newest `window` keys only, itself included.

    Positions are aligned as in `causal_mask`. A query with fewer keys behind it sees all that there are.

    Args:
        n_queries: Tq, at least 1.
        n_keys: Tk, at least Tq.
        window: how many keys a query may see, at least 1; it may exceed Tk.

    Returns:
        bool `(Tq, Tk)`, True where query i may attend to key j.

    Raises:
        ValueError: `window` is below 1, or there are more queries than keys.

    Source: Beltagy, Peters, Cohan (2020), Longformer, arXiv:2004.05150, section 3.1, made causal.
    """
    # TODO: Mark the newest `window` keys of each query, the one at its own position included, and none after it.
    raise NotImplementedError


def attention_scores(q: Tensor, k: Tensor) -> Tensor:
    """Score every key for every query: their dot product over the square root of their width, `q k^T / sqrt(K)`.

    Args:
        q: `(..., Tq, K)` queries, float64, float32, bfloat16 or float16.
        k: `(..., Tk, K)` keys, same dtype and leading axes; these may be absent or empty.

    Returns:
        `(..., Tq, Tk)` in the dtype of `q`. The difference of two scores of a row is the log-ratio of their weights.

    Source: Vaswani et al. (2017), Attention Is All You Need, arXiv:1706.03762, eq. 1.
    """
    # TODO: Compare every query with every key by a dot product, scaled by the square root of their width.
    raise NotImplementedError


def attention_weights(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Turn the scores of each query into weights over the keys that it may attend to: a masked softmax.

    Args:
        scores: `(..., Tq, Tk)`, float64, float32, bfloat16 or float16. Any finite number may stand at a masked place.
        mask: bool, broadcast to `(..., Tq, Tk)`, True where a query may attend to a key. None: to every key.

    Returns:
        `(..., Tq, Tk)` in the dtype of `scores`. A row sums to 1 and is exactly 0 where masked; the row of a query that
        may attend to nothing is all 0. Right for float32 scores up to 1e4 in size; gradients are finite for every mask.

    Source: Vaswani et al. (2017), Attention Is All You Need, arXiv:1706.03762, eq. 1 and section 3.2.3.
    """
    # TODO: Give each query weights over the keys it may attend to: positive, sum 1, exactly 0 where masked.
    raise NotImplementedError


def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """Scaled dot-product attention: for each query, the mean of the values weighted by how well their keys match.

    Args:
        q: `(..., Tq, K)` queries, float64, float32, bfloat16 or float16.
        k: `(..., Tk, K)` keys, same dtype and leading axes; these may be absent or empty.
        v: `(..., Tk, Kv)` values; Kv may differ from K.
        mask: bool, broadcast to `(..., Tq, Tk)`, True where a query may attend to a key. None: to every key.

    Returns:
        `(..., Tq, Kv)` in the dtype of `q`; zeros for a query that may attend to nothing.

    Source: Vaswani et al. (2017), Attention Is All You Need, arXiv:1706.03762, eq. 1.
    """
    # TODO: Mix the values with the weights that the scores of queries against keys give under the mask.
    raise NotImplementedError


def attention_entropy(weights: Tensor) -> Tensor:
    """Measure how widely each query spreads its weights: Shannon entropy over the keys, in bits.

    Args:
        weights: `(..., Tq, Tk)`; each row is a distribution, or all 0 (which has 0 bits). A weight of 0 adds nothing.

    Returns:
        `(..., Tq)` in the dtype of `weights`: 0 for a query that attends to one key, `log2 n` for one that spreads
        evenly over n. Query i of a square causal map has at most `log2(i + 1)`. Gradients are finite at weights of 0.

    Source: Shannon (1948), A Mathematical Theory of Communication, section 6.
    """
    # TODO: Measure in bits how widely each query spreads its weights, with 0 log 0 = 0.
    raise NotImplementedError
