"""Known mistakes of the softmax."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Misconception, Wrong
from grader.misconceptions.objective.shared import (
    STALLING_SUM,
    about,
    catalogue,
    changes,
    cut_off,
    float32_results,
    given_back,
    stalling_sum,
    widened,
)


@catalogue.flawed(
    "softmax",
    *about(
        "one-peak-per-slice",
        {
            "no-peak-removed": "Exponentials of raw logits overflow to inf/inf or underflow to 0/0; subtract each "
            "slice's largest logit first.",
            "one-peak-for-all": "The largest logit of the whole tensor is subtracted, so slices far below it underflow "
            "to 0/0; subtract each slice's own largest.",
            "peak-at-least-0": "The largest logit is taken as 0 where all are negative, so slices far below 0 give "
            "0/0; a running maximum starts from -inf.",
            "mean-removed": "The mean is subtracted, which lets exponents overflow; subtract the largest logit.",
            "minimum-removed": "The smallest logit is subtracted, so exponentials only grow; subtract the largest.",
            "never-divided": "The exponentials are not divided by their sum, so a slice does not sum to 1.",
        },
    ),
    *about(
        "the-axis-is-an-argument",
        {
            "always-last-axis": "dim is not used: your function always takes the last axis.",
            "always-axis-1": "dim is not used: your function always takes axis 1 (of a single axis, that one).",
            "over-everything": "All entries share one sum; every slice along dim is a distribution of its own.",
            "axis-dropped": "The sum loses its axis (keepdim is missing), so it lines up with the wrong one: square "
            "slices are divided by the wrong sums, others raise an error.",
        },
    ),
    *about(
        "logits-are-raw-scores",
        {
            "twice": "Softmax is applied twice; the second one flattens the distribution.",
            "logarithm-returned": "You return the logarithms of the probabilities; return the probabilities.",
            "base-two": "You take powers of 2; softmax takes powers of e.",
            "sigmoid": "Each logit is squashed on its own, which is a sigmoid; in softmax the entries of a slice share "
            "a sum of 1.",
        },
    ),
    *about(
        "a-slice-with-nothing-in-it",
        {
            "nan-without-a-possible-entry": "A slice of nothing but -inf gives NaN (-inf - -inf, or 0/0); give zeros.",
            "uniform-without-a-possible-entry": "A slice of nothing but -inf comes out uniform, as it does when -inf "
            "is replaced by a large negative number; give zeros.",
        },
    ),
    Misconception(
        "repaired-after-the-division",
        "The NaN of a slice of nothing but -inf is replaced in the result but stays in the gradient; keep it from "
        "arising.",
        "a-slice-with-nothing-in-it",
        fails="test_gradients_at_impossible_entries",
    ),
    STALLING_SUM,
    *float32_results("logits", "test_bfloat16", "test_small_rows"),
    cut_off("probabilities are", "test_gradients"),
    changes("logits"),
)
def softmax(wrong: Wrong, logits: Tensor, dim: int = -1) -> Tensor:
    """Probabilities along one axis."""
    if wrong("always-last-axis"):
        dim = -1
    if wrong("always-axis-1"):
        dim = min(1, logits.dim() - 1)
    x = widened(wrong, logits)
    x = x * math.log(2) if wrong("base-two") else x
    if wrong("sigmoid"):
        return given_back(wrong, x.sigmoid(), logits.dtype)
    once = _shares(wrong, x, dim, logits.dtype)
    if wrong("twice"):
        once = _shares(wrong, once, dim, logits.dtype)
    if wrong("changes-logits"):
        logits -= logits.amax(dim, keepdim=True)
    return given_back(wrong, once.log() if wrong("logarithm-returned") else once, logits.dtype)


def _shares(wrong: Wrong, x: Tensor, dim: int, dtype: torch.dtype) -> Tensor:
    """Each exponential's part of its slice's sum."""
    hopeless = (x == -math.inf).all(dim, keepdim=True)
    peak = x.max(dim, keepdim=True).values.detach()
    if wrong("one-peak-for-all"):
        peak = x.max().detach().expand_as(peak)
    if wrong("peak-at-least-0"):
        peak = peak.clamp(min=0.0)
    if wrong("mean-removed"):
        peak = x.mean(dim, keepdim=True).detach()
    if wrong("minimum-removed"):
        peak = x.min(dim, keepdim=True).values.detach()
    careless = wrong("nan-without-a-possible-entry") or wrong("repaired-after-the-division")
    if not careless:
        peak = peak.masked_fill(hopeless, 0.0)
    powers = (x if wrong("no-peak-removed") else x - peak).exp()
    if wrong("never-divided"):
        return powers
    if wrong("over-everything"):
        total = powers.sum()
    elif wrong("sum-stalls-in-16-bits"):
        total = stalling_sum(powers.movedim(dim, -1), dtype).to(powers.dtype).unsqueeze(dim)
    else:
        total = powers.sum(dim, keepdim=not wrong("axis-dropped"))
    if not careless:
        empty = hopeless if total.shape == hopeless.shape else total == 0
        total = torch.where(empty, torch.ones_like(total), total)
    shares = powers / total
    if wrong("uniform-without-a-possible-entry"):
        shares = torch.where(hopeless, torch.full_like(shares, 1 / x.shape[dim]), shares)
    return shares.nan_to_num() if wrong("repaired-after-the-division") else shares
