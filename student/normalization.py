"""Normalization: Write LayerNorm and RMSNorm so that they are right for any scale, any leading axes, 16-bit inputs and
gradients.

Read lessons/normalization/lesson.md, then fill in the functions from top to bottom.

    anatomy grade normalization             grade the whole lesson
    anatomy grade normalization.layer_norm  grade one function
    anatomy hint normalization.layer_norm   when you are stuck
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
    # TODO: Standardise each row over its last axis, then scale by gamma and shift by beta.
    raise NotImplementedError


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
    # TODO: Divide each row by its root mean square over the last axis, then scale by weight.
    raise NotImplementedError


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
    # TODO: Give each row mean 0 and variance 1 over its last axis, with eps inside the root.
    raise NotImplementedError
