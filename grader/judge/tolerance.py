"""How far an answer may lie from the truth: the one rule, for every exercise and dtype.

The truth is the reference in float64 on the inputs as they are (rounded to their dtype already). An answer passes
within

    max(SLACK * |reference at the working precision - truth|, FLOOR * u * kappa * scale)

with u the unit roundoff and scale the largest true value. Formula tests run in float64 and pass at the float32 line, so
that a `.float()` inside is accepted; the float64 line beside it tells neighbouring mistakes apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from grader.judge.probe import Closeness

SLACK = 8.0
"""How much worse than the reference's own error a summation in another order may be."""
FLOOR = 32.0
"""Units of roundoff allowed where the reference happens to be exact; the worst right variant measured needs 12."""
GRADIENT_FLOOR = 64.0
"""The same for gradients: one more matrix product for each factor."""
SIXTEEN_BIT = 0.03
"""16-bit answers: this part of the largest value."""
NOTICEABLE = 10.0
"""A mistake must lie this many pass lines away before it is called visible."""


@dataclass(frozen=True)
class Line:
    """Absolute distances: `passes` decides, `fine` is what the dtype could reach."""

    passes: float
    fine: float


def unit_roundoff(dtype: torch.dtype) -> float:
    """Half the spacing of the numbers just above 1."""
    return torch.finfo(dtype).eps / 2


def line(truth: Tensor, working: Tensor | None, dtype: torch.dtype, closeness: Closeness, floor: float = FLOOR) -> Line:
    """The pass line for one floating tensor.

    `truth` is the float64 answer; `working` the reference's answer at the precision that must be reached (float32 for
    float64 questions), None if there is none; `dtype` the dtype of the question.
    """
    finite = truth[truth.isfinite()]
    scale = max(closeness.scale, float(finite.abs().max()) if finite.numel() else 0.0)
    if closeness.rtol is not None:
        return Line(closeness.rtol * scale, closeness.rtol * scale)
    own_error = _largest_gap(working, truth)
    if dtype in (torch.bfloat16, torch.float16):
        passes = max(SIXTEEN_BIT * scale * closeness.kappa, 2 * own_error)
        return Line(passes, passes)
    single = max(SLACK * own_error, floor * unit_roundoff(torch.float32) * closeness.kappa * scale)
    if dtype == torch.float64:
        return Line(single, min(single, floor * unit_roundoff(torch.float64) * closeness.kappa * scale))
    return Line(single, single)


def _largest_gap(working: Tensor | None, truth: Tensor) -> float:
    if working is None or working.shape != truth.shape:
        return 0.0
    gap = (working.double() - truth.double()).abs()
    gap = gap[gap.isfinite()]
    return float(gap.max()) if gap.numel() else 0.0
