"""Where a token stands: a table of sines, rotations in both layouts, and biases that grow with distance.

Symbols: T number of positions, D model width, K head width, H heads, Tq and Tk numbers of queries and keys, `...` any
number of leading axes (batch, heads), also none.
"""

import torch
from torch import Tensor

from .attention import causal_mask


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
    angles = _angles(torch.arange(n_positions), d_model, base)  # (T, D/2)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2).float()  # (T, D)


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
    return _angles(positions, head_width, base).float()  # (T, K/2)


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
    cos, sin = _cos_sin(x, angles)  # (T, K/2) each
    a, b = x[..., 0::2], x[..., 1::2]  # (..., T, K/2) each
    turned = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1)  # (..., T, K/2, 2)
    return turned.flatten(-2).to(x.dtype)  # (..., T, K)


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
    cos, sin = _cos_sin(x, angles)  # (T, K/2) each
    a, b = x.chunk(2, dim=-1)  # (..., T, K/2) each
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1).to(x.dtype)  # (..., T, K)


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
    n_rows = weight.shape[0]
    if n_rows % n_heads:
        raise ValueError(f"{n_rows} rows cannot be divided among {n_heads} heads")
    width = n_rows // n_heads
    _refuse_odd(width, "head width")
    by_pair = weight.reshape(n_heads, width // 2, 2, weight.shape[1])  # (H, K/2, 2, D)
    return by_pair.transpose(1, 2).flatten(0, 2)  # (H*K, D)


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
    if n_heads < 1:
        raise ValueError(f"{n_heads} heads have no slopes: at least 1 is needed")
    lower = 2 ** (n_heads.bit_length() - 1)  # the largest power of two that is no larger than H
    others = _geometric_slopes(2 * lower)[0::2]  # (lower,)
    return torch.cat((_geometric_slopes(lower), others[: n_heads - lower])).float()  # (H,)


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
    visible = causal_mask(n_queries, n_keys)  # (Tq, Tk)
    query_positions = torch.arange(n_keys - n_queries, n_keys)  # (Tq,)
    distance = query_positions[:, None] - torch.arange(n_keys)  # (Tq, Tk)
    bias = -alibi_slopes(n_heads)[:, None, None] * distance  # (H, Tq, Tk)
    return bias.masked_fill(~visible, -torch.inf)  # (H, Tq, Tk)


def _angles(positions: Tensor, width: int, base: float) -> Tensor:
    """`p * base^(-2i/width)` for each position and pair, float64 `(T, width/2)`. Raises ValueError for an odd width."""
    _refuse_odd(width, "width")
    exponents = torch.arange(0, width, 2, dtype=torch.float64, device=positions.device) / width  # (width/2,)
    # An error in the frequency is multiplied by the position, so float64 leaves only the last rounding.
    return positions.double()[:, None] * torch.pow(base, -exponents)  # (T, width/2)


def _cos_sin(x: Tensor, angles: Tensor) -> tuple[Tensor, Tensor]:
    """Cosine and sine of the angles in float32, or float64 for float64 `x`. Raises ValueError for another width."""
    if 2 * angles.shape[-1] != x.shape[-1]:
        raise ValueError(f"a head of width {x.shape[-1]} needs {x.shape[-1] / 2:g} angles, not {angles.shape[-1]}")
    wide = angles.to(torch.promote_types(x.dtype, torch.float32))  # (T, K/2)
    return wide.cos(), wide.sin()


def _geometric_slopes(n_heads: int) -> Tensor:
    """`2^(-8k/H)` for k = 1..H, float64 `(H,)`."""
    return torch.pow(2.0, -8.0 / n_heads * torch.arange(1, n_heads + 1, dtype=torch.float64))  # (H,)


def _refuse_odd(width: int, what: str) -> None:
    """Raise ValueError unless features can be taken in pairs."""
    if width % 2:
        raise ValueError(f"a {what} of {width} is odd: features come in pairs")
