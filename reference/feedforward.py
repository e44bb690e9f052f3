"""The feed-forward half of a block: activations, the two-layer network of GPT-2 and the gated one of LLaMA.

Symbols: D model width, F hidden width, Phi the distribution function of the standard normal, `...` any number of
leading axes (batch, sequence), also none. Every token is treated on its own.
"""

import math

import torch
from torch import Tensor


def gelu(x: Tensor) -> Tensor:
    """The Gaussian error linear unit, exact: `x * Phi(x)`, with Phi by the error function.

    Args:
        x: `(...)`, float64, float32, bfloat16 or float16; axes may be absent or empty.

    Returns:
        `(...)` in the dtype of `x`: about x far above 0, about 0 far below, -0.17 at its minimum near -0.75. Right for
        float32 inputs up to 1e4 in size.

    Source: Hendrycks, Gimpel (2016), Gaussian Error Linear Units, arXiv:1606.08415, section 2.
    """
    wide = _at_least_float32(x)  # (...)
    # Phi(x) = erfc(-x / sqrt 2) / 2, which keeps its digits far below 0, where 1 + erf(x / sqrt 2) loses them all.
    return (0.5 * wide * torch.erfc(-wide / math.sqrt(2.0))).to(x.dtype)  # (...)


def gelu_tanh(x: Tensor) -> Tensor:
    """The approximation of GELU that GPT-2 uses: `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))`.

    Args:
        x: `(...)`, float64, float32, bfloat16 or float16; axes may be absent or empty.

    Returns:
        `(...)` in the dtype of `x`, within 5e-4 of `gelu(x)`. Right for float32 inputs up to 1e4 in size.

    Source: Hendrycks, Gimpel (2016), Gaussian Error Linear Units, arXiv:1606.08415, section 2.
    """
    wide = _at_least_float32(x)  # (...)
    inner = math.sqrt(2.0 / math.pi) * (wide + 0.044715 * wide**3)  # (...)
    return (0.5 * wide * (1.0 + torch.tanh(inner))).to(x.dtype)  # (...)


def silu(x: Tensor) -> Tensor:
    """The sigmoid linear unit, also called swish: `x * sigmoid(x)`.

    Args:
        x: `(...)`, float64, float32, bfloat16 or float16; axes may be absent or empty.

    Returns:
        `(...)` in the dtype of `x`: about x far above 0, about 0 far below, -0.28 at its minimum near -1.28. Right for
        float32 inputs up to 1e4 in size.

    Source: Elfwing, Uchibe, Doya (2017), Sigmoid-Weighted Linear Units, arXiv:1702.03118, section 2.
    """
    wide = _at_least_float32(x)  # (...)
    return (wide * torch.sigmoid(wide)).to(x.dtype)  # (...)


def feed_forward(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """GPT-2's feed-forward network, one token at a time: widen, GELU (tanh form), narrow.

    Args:
        x: `(..., D)` hidden states, float64, float32, bfloat16 or float16; leading axes may be absent or empty.
        weights: `w_in` `(F, D)`, `b_in` `(F,)`, `w_out` `(D, F)`, `b_out` `(D,)` in the dtype of `x`; matrices as
            `(out, in)`. Other keys are ignored.

    Returns:
        `(..., D)` in the dtype of `x`, without the residual addition.

    Source: Vaswani et al. (2017), Attention Is All You Need, arXiv:1706.03762, eq. 2, with GELU as in Radford et al.
        (2018), Improving Language Understanding by Generative Pre-Training.
    """
    hidden = gelu_tanh(x @ weights["w_in"].T + weights["b_in"])  # (..., F)
    return hidden @ weights["w_out"].T + weights["b_out"]  # (..., D)


def swiglu(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """LLaMA's gated feed-forward network: `w_down (silu(w_gate x) * (w_up x))`, without biases.

    Args:
        x: `(..., D)` hidden states, float64, float32, bfloat16 or float16; leading axes may be absent or empty.
        weights: `w_gate` and `w_up` `(F, D)`, `w_down` `(D, F)` in the dtype of `x`, as `(out, in)`. Other keys are
            ignored.

    Returns:
        `(..., D)` in the dtype of `x`, without the residual addition.

    Source: Shazeer (2020), GLU Variants Improve Transformer, arXiv:2002.05202, eq. 6.
    """
    gate = silu(x @ weights["w_gate"].T)  # (..., F)
    up = x @ weights["w_up"].T  # (..., F)
    return (gate * up) @ weights["w_down"].T  # (..., D)


def swiglu_hidden_width(d_model: int, multiple_of: int = 256) -> int:
    """LLaMA's hidden width for SwiGLU: two thirds of 4D, truncated, then rounded up to a multiple.

    Three matrices of two thirds the width hold as many parameters as two of width 4D; the multiple suits the hardware.

    Args:
        d_model: D, at least 1.
        multiple_of: the hidden width is a multiple of this, at least 1.

    Returns:
        F: 11008 for a model width of 4096.

    Source: Touvron et al. (2023), LLaMA, arXiv:2302.13971, section 2.2; the rounding is that of its published code.
    """
    two_thirds = 8 * d_model // 3
    return -(-two_thirds // multiple_of) * multiple_of


def _at_least_float32(x: Tensor) -> Tensor:
    """The same numbers in float32 if `x` has 16 bits, otherwise `x` itself."""
    return x.to(torch.promote_types(x.dtype, torch.float32))  # (...)
