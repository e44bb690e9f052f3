"""Feed-forward: Write GELU, SiLU, the two-layer network of GPT-2 and the gated one of LLaMA, and derive how wide each
should be.

Read lessons/feedforward/lesson.md, then fill in the functions from top to bottom.

    anatomy grade feedforward       grade the whole lesson
    anatomy grade feedforward.gelu  grade one function
    anatomy hint feedforward.gelu   when you are stuck
"""

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
    # TODO: Multiply x by the probability that a standard normal number lies below it.
    raise NotImplementedError


def gelu_tanh(x: Tensor) -> Tensor:
    """The approximation of GELU that GPT-2 uses: `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))`.

    Args:
        x: `(...)`, float64, float32, bfloat16 or float16; axes may be absent or empty.

    Returns:
        `(...)` in the dtype of `x`, within 5e-4 of `gelu(x)`. Right for float32 inputs up to 1e4 in size.

    Source: Hendrycks, Gimpel (2016), Gaussian Error Linear Units, arXiv:1606.08415, section 2.
    """
    # TODO: Approximate GELU as GPT-2 does, with tanh and a cubic term.
    raise NotImplementedError


def silu(x: Tensor) -> Tensor:
    """The sigmoid linear unit, also called swish: `x * sigmoid(x)`.

    Args:
        x: `(...)`, float64, float32, bfloat16 or float16; axes may be absent or empty.

    Returns:
        `(...)` in the dtype of `x`: about x far above 0, about 0 far below, -0.28 at its minimum near -1.28. Right for
        float32 inputs up to 1e4 in size.

    Source: Elfwing, Uchibe, Doya (2017), Sigmoid-Weighted Linear Units, arXiv:1702.03118, section 2.
    """
    # TODO: Multiply x by its sigmoid.
    raise NotImplementedError


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
    # TODO: Widen each token with w_in and b_in, apply gelu_tanh, narrow it with w_out and b_out.
    raise NotImplementedError


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
    # TODO: Multiply the activated gate with the up projection and project the product down.
    raise NotImplementedError


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
    # TODO: Take two thirds of four times the width, truncate, and round up to the multiple.
    raise NotImplementedError
