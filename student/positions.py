"""Positions: Tell a decoder where its tokens stand, by a table of sines, by rotations in both layouts in use, and by
ALiBi.

Read lessons/positions/lesson.md, then fill in the functions from top to bottom.

Your functions of earlier lessons may be used here: `from .attention import ...`.

    anatomy grade positions                       grade the whole lesson
    anatomy grade positions.sinusoidal_positions  grade one function
    anatomy hint positions.sinusoidal_positions   when you are stuck
"""

import torch
from torch import Tensor


def sinusoidal_positions(n_positions: int, d_model: int, base: float = 10000.0) -> Tensor:
    """Make the table of sines and cosines that is added to the token embeddings, one row for each position 0..T-1.

    Column 2i is `sin(p / base^(2i/D))` and column 2i + 1 the cosine of the same angle.

    Args:
        n_positions: T, at least 1.
        d_model: D, the width of the embeddings, even.
        base: the last pair of columns turns almost this many times more slowly than the first.

    Returns:
        float32 `(T, D)`, rounded from angles in float64. Nothing in it is learned.

    Raises:
        ValueError: D is odd, so that the last sine would have no cosine.

    Source: Vaswani et al. (2017), Attention Is All You Need, arXiv:1706.03762, section 3.5.
    """
    # TODO: Make the table: column 2i the sine of p / base^(2i/D), column 2i + 1 the cosine of the same angle.
    raise NotImplementedError


def rope_angles(positions: Tensor, head_width: int, base: float = 10000.0) -> Tensor:
    """Give the angle by which each pair of features of a query or key is turned at each position.

    The angle of pair i at position p is `p * base^(-2i/K)`, in radians.

    Args:
        positions: int64 `(T,)`, in any order, with gaps and repeats; with a cache they do not start at 0.
        head_width: K, even.
        base: theta in the papers; a larger one turns all pairs but the first more slowly.

    Returns:
        float32 `(T, K/2)`, rounded from float64.

    Raises:
        ValueError: K is odd, so that one feature would have no partner.

    Source: Su et al. (2021), RoFormer, arXiv:2104.09864, equation 15.
    """
    # TODO: Give p * base^(-2i/K) for every position p that is passed and every pair i.
    raise NotImplementedError


def apply_rope(x: Tensor, angles: Tensor) -> Tensor:
    """Turn neighbouring features, the pairs `(x[2i], x[2i+1])`, counter-clockwise by their angles: RoFormer's layout.

    A pair `(a, b)` becomes `(a cos - b sin, a sin + b cos)` and stays where it was.

    Args:
        x: `(..., T, K)` queries or keys, float64, float32, bfloat16 or float16. Leading axes may be absent or empty.
        angles: float32 `(T, K/2)`, radians, as `rope_angles` gives them.

    Returns:
        `(..., T, K)` in the dtype of `x`. For 16-bit `x`, cosines in float32; the features may be turned in their own
        dtype. For float64 `x`, the angles may be converted to float64 before the cosine.

    Raises:
        ValueError: the width of `angles` is not K/2.

    Source: Su et al. (2021), RoFormer, arXiv:2104.09864, equations 15 and 34.
    """
    # TODO: Turn the pairs (x[2i], x[2i+1]) counter-clockwise by their angles and leave each feature in its place.
    raise NotImplementedError


def apply_rope_half(x: Tensor, angles: Tensor) -> Tensor:
    """Turn features half a head apart, the pairs `(x[i], x[i + K/2])`, counter-clockwise: the layout of most libraries.

    The same rotation as `apply_rope` with the features of the head in another order.

    Args:
        x: `(..., T, K)` queries or keys, float64, float32, bfloat16 or float16. Leading axes may be absent or empty.
        angles: float32 `(T, K/2)`, radians, as `rope_angles` gives them.

    Returns:
        `(..., T, K)` in the dtype of `x`. For 16-bit `x`, cosines in float32; the features may be turned in their own
        dtype. For float64 `x`, the angles may be converted to float64 before the cosine.

    Raises:
        ValueError: the width of `angles` is not K/2.

    Source: Su et al. (2021), RoFormer, arXiv:2104.09864, equation 15, with the features of a head reordered; the
    convention of the LLaMA checkpoints (Touvron et al. 2023, arXiv:2302.13971) as most libraries store them.
    """
    # TODO: Turn the pairs (x[i], x[i + K/2]) counter-clockwise by their angles and leave each feature in its place.
    raise NotImplementedError


def interleaved_to_half(weight: Tensor, n_heads: int) -> Tensor:
    """Reorder the rows of a query or key projection so that `apply_rope_half` may take the place of `apply_rope`.

    In each head the even rows come first, then the odd ones: new row `h*K + i` is old row `h*K + 2i`, new row
    `h*K + K/2 + i` is old row `h*K + 2i + 1`. Queries and keys change alike, so their dot products do not.

    Args:
        weight: `(H*K, D)`, stored as `nn.Linear` stores it.
        n_heads: H, the heads of this projection (for keys: the key-value heads).

    Returns:
        `(H*K, D)`, the same rows in another order.

    Raises:
        ValueError: the rows cannot be divided among the heads, or K is odd.
    """
    # TODO: Reorder the rows of each head: its even rows first, then its odd ones.
    raise NotImplementedError


def alibi_slopes(n_heads: int) -> Tensor:
    """Give each head the slope by which it holds distance against a key.

    For a power of two the slopes are `2^(-8/H), 2^(-16/H), ..., 2^(-8)`. Otherwise they are those of the next lower
    power of two, followed by the 1st, 3rd, 5th ... of the next higher one.

    Args:
        n_heads: H, at least 1.

    Returns:
        float32 `(H,)`, positive.

    Raises:
        ValueError: `n_heads` is below 1.

    Source: Press, Smith, Lewis (2022), Train Short, Test Long, arXiv:2108.12409, section 3; the rule for other numbers
    of heads is that of the code published with the paper.
    """
    # TODO: Give each head its slope: the geometric sequence for a power of two, the published rule for other numbers.
    raise NotImplementedError


def alibi_bias(n_heads: int, n_queries: int, n_keys: int) -> Tensor:
    """Make the bias that is added to the scaled scores: minus slope times distance, and no look ahead.

    The last query sits at the last key, as in `causal_mask`: query i stands at position `i + Tk - Tq`.

    Args:
        n_heads: H, at least 1.
        n_queries: Tq, at least 1.
        n_keys: Tk, at least Tq.

    Returns:
        float32 `(H, Tq, Tk)`: `-slope * (query's position - key's position)`, and `-inf` for keys after the query.

    Raises:
        ValueError: more queries than keys; a query would stand before the first key.

    Source: Press, Smith, Lewis (2022), Train Short, Test Long, arXiv:2108.12409, section 3.
    """
    # TODO: Subtract slope times distance for keys at or before the query, and put -inf after it.
    raise NotImplementedError
