"""The softmax over visible keys, which weights and attention share."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.attention.shared import about

MASKING = (
    *about(
        "the-mask-is-upside-down",
        {"inverted": "The hidden keys get the weight: True in the mask means may attend."},
    ),
    *about(
        "the-mask-does-nothing",
        {
            "ignores-mask": "The mask has no effect. (masked_fill without an underscore returns a new tensor and "
            "changes nothing.)",
            "adds-zero-one-mask": "The mask is added to the scores as 1 and 0, which hides nothing; a hidden score "
            "must become minus infinity.",
            "multiplies-scores": "The scores are multiplied by the mask, which leaves a hidden key with score 0, and "
            "the exponential of 0 is 1; a hidden score must become minus infinity.",
            "first-mask-only": "Every sample is given the mask of the first one; each has its own.",
        },
    ),
    *about(
        "the-mask-comes-too-late",
        {
            "zeroed-afterwards": "Hidden weights are set to 0 after the softmax, so the rows no longer sum to 1; the "
            "mask belongs before it.",
        },
    ),
    *about(
        "the-softmax-runs-along-the-wrong-axis",
        {
            "over-queries": "The softmax runs over the queries; each query's weights over the keys sum to 1.",
            "over-axis-one": "The softmax runs over axis 1, which holds the keys only while there are two axes; "
            "count from the end.",
            "over-everything": "The whole map sums to 1; the weights of each query should.",
            "softmax-twice": "The softmax is applied twice, which makes the weights nearly even; once is enough.",
        },
    ),
    *about(
        "the-softmax-overflows",
        {"nothing-subtracted": "Large scores overflow: subtract each row's largest visible score first."},
    ),
    *about(
        "a-query-that-sees-nothing",
        {
            "empty-row-nan": "A query that may attend to nothing gives NaN; its weights should all be 0.",
            "empty-row-even": "A query that may attend to nothing spreads its weight over hidden keys, as with a large "
            "negative number in place of minus infinity; its weights should all be 0.",
        },
    ),
    *about(
        "a-query-that-sees-nothing",
        {
            "empty-row-patched": "The NaN of an empty row is replaced in the value, but its gradient is still NaN; "
            "mend the scores before the softmax.",
        },
        fails="test_empty_row_gradient",
    ),
    *about(
        "causality-that-nobody-asked-for",
        {
            "adds-causality": "You apply a causal mask beside the mask that is given; apply only that one.",
            "causal-by-default": "Without a mask you apply a causal one; here no mask means that every key is visible.",
            "corner-triangle-by-default": "Without a mask you apply a lower triangle; here no mask means that every "
            "key is visible.",
        },
    ),
)
"""What shows in weights and in the mixed values alike."""


def masked_softmax(wrong: Wrong, scores: Tensor, mask: Tensor | None) -> Tensor:
    """Weights over the visible keys, with the mistakes of MASKING."""
    visible = visible_keys(wrong, scores, mask)
    everything = torch.ones_like(visible)
    if wrong("adds-zero-one-mask") and mask is not None:
        weights = visible_softmax(wrong, scores + visible.to(scores.dtype), everything)
    elif wrong("multiplies-scores"):
        weights = visible_softmax(wrong, scores * visible, everything)
    elif wrong("zeroed-afterwards"):
        weights = visible_softmax(wrong, scores, everything) * visible
    else:
        weights = visible_softmax(wrong, scores, visible)
    return weights.softmax(-1) if wrong("softmax-twice") else weights


def visible_keys(wrong: Wrong, scores: Tensor, mask: Tensor | None) -> Tensor:
    """Which key each query may attend to, in the shape of the scores."""
    visible = torch.ones(scores.shape[-2:], dtype=torch.bool)
    if mask is not None and not wrong("ignores-mask"):
        visible = ~mask if wrong("inverted") else mask
        if wrong("first-mask-only") and visible.dim() > 2:
            visible = visible[:1]
    visible = visible.expand(scores.shape)
    if mask is None and wrong("corner-triangle-by-default"):
        return visible.tril()
    causal = wrong("adds-causality") or (wrong("causal-by-default") and mask is None)
    return visible.tril(scores.shape[-1] - scores.shape[-2]) if causal else visible


def visible_softmax(wrong: Wrong, scores: Tensor, visible: Tensor) -> Tensor:
    """The softmax of the visible scores of each row."""
    empty = ~visible.any(-1, keepdim=True)
    if wrong("empty-row-patched"):
        # A mask that is added lets NaN gradients through to the scores; one that is filled in would stop them.
        hidden = torch.zeros_like(scores).masked_fill(~visible, -math.inf)
        return (scores + hidden).softmax(-1).masked_fill(empty, 0.0)
    fill = -1e4 if wrong("weak-fill") else torch.finfo(scores.dtype).min if wrong("empty-row-even") else -math.inf
    masked = scores if wrong("renormalised-afterwards") else scores.masked_fill(~visible, fill)
    axes = competing_axes(wrong)
    exponentials = (masked - subtrahend(wrong, masked, visible, axes)).exp()
    if wrong("renormalised-afterwards"):
        exponentials = exponentials * visible
    total = exponentials.sum(axes, keepdim=True)
    if not wrong("empty-row-nan"):
        # What mends an empty row (a guarded division, nan_to_num) also turns a row that has vanished into zeros.
        total = total.masked_fill(total == 0, 1.0)
    weights = exponentials / total
    return weights if wrong("empty-row-nan") or wrong("empty-row-even") else weights.masked_fill(empty, 0.0)


def competing_axes(wrong: Wrong) -> int | tuple[int, ...]:
    """The axes over which weights sum to 1."""
    if wrong("over-everything"):
        return (-2, -1)
    return -2 if wrong("over-queries") else 1 if wrong("over-axis-one") else -1


def subtrahend(wrong: Wrong, masked: Tensor, visible: Tensor, axes: int | tuple[int, ...]) -> Tensor:
    """What is subtracted before the exponential: the largest of the scores that compete."""
    if wrong("minimum-subtracted"):
        lowest = masked.masked_fill(~visible, math.inf).amin(axes, keepdim=True)
        return lowest.masked_fill(lowest == math.inf, 0.0)
    peak = masked.amax(axes, keepdim=True)
    if wrong("maximum-of-everything"):
        peak = masked.max().expand(peak.shape)
    if wrong("maximum-from-zero"):
        peak = peak.clamp(min=0.0)
    if wrong("nothing-subtracted"):
        peak = torch.zeros_like(peak)
    return peak if wrong("empty-row-nan") else peak.masked_fill(peak == -math.inf, 0.0)
