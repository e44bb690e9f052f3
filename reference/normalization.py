"""LayerNorm and RMSNorm: every token is brought to a known scale, on its own, over its features.

Symbols: D model width, `...` any number of leading axes (batch, sequence, heads), also none.
"""

import torch
from torch import Tensor


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    """Standardise each row over its last axis, then scale and shift every feature.

    The variance is the biased one (the sum of squares is divided by D) and `eps` stands inside the root:
    `(x - mean) / sqrt(variance + eps) * gamma + beta`.

    Args:
        x: `(..., D)` activations, float64, float32, bfloat16 or float16. Leading axes may be absent or empty.
        gamma: `(D,)` learned gain, same dtype as `x`.
        beta: `(D,)` learned shift, same dtype as `x`.
        eps: added to the variance, in the squared unit of `x`.

    Returns:
        `(..., D)` in the dtype of `x`. Statistics of 16-bit rows are taken in float32.

    Source: Ba, Kiros, Hinton (2016), Layer Normalization, arXiv:1607.06450, equations 3 and 4.
    """
    normed = standardize(_at_least_float32(x), eps)  # (..., D)
    return (normed * gamma + beta).to(x.dtype)  # (..., D)


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Divide each row by its root mean square over the last axis, then scale every feature.

    No mean is removed and nothing is added: `x / sqrt(mean(x^2) + eps) * weight`.

    Args:
        x: `(..., D)` activations, float64, float32, bfloat16 or float16. Leading axes may be absent or empty.
        weight: `(D,)` learned gain, same dtype as `x`.
        eps: added to the mean square, in the squared unit of `x`.

    Returns:
        `(..., D)` in the dtype of `x`. Statistics of 16-bit rows are taken in float32.

    Source: Zhang, Sennrich (2019), Root Mean Square Layer Normalization, arXiv:1910.07467, equation 4.
    """
    wide = _at_least_float32(x)  # (..., D)
    mean_square = wide.square().mean(dim=-1, keepdim=True)  # (..., 1)
    return (wide / torch.sqrt(mean_square + eps) * weight).to(x.dtype)  # (..., D)


def standardize(x: Tensor, eps: float = 1e-5) -> Tensor:
    """Give each row mean 0 and variance 1 over its last axis: LayerNorm without its parameters.

    `standardize(5 * x)` equals `standardize(x)` up to `eps`, since a common factor of a row cancels.

    Args:
        x: `(..., D)` activations, float64, float32, bfloat16 or float16. Leading axes may be absent or empty.
        eps: added to the biased variance inside the root, in the squared unit of `x`.

    Returns:
        `(..., D)` in the dtype of `x`. Statistics of 16-bit rows are taken in float32.

    Source: Ba, Kiros, Hinton (2016), Layer Normalization, arXiv:1607.06450, equation 3.
    """
    wide = _at_least_float32(x)  # (..., D)
    # Centring first keeps rows whose mean dwarfs their spread: mean(x^2) - mean(x)^2 would subtract two huge numbers.
    centred = wide - wide.mean(dim=-1, keepdim=True)  # (..., D)
    variance = centred.square().mean(dim=-1, keepdim=True)  # (..., 1)
    return (centred / torch.sqrt(variance + eps)).to(x.dtype)  # (..., D)


def _at_least_float32(x: Tensor) -> Tensor:
    """The same numbers in float32 if `x` has 16 bits, where a square of 300 overflows; otherwise `x` itself."""
    return x.to(torch.promote_types(x.dtype, torch.float32))  # (..., D)
