"""Known mistakes of the weights."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.attention.masked_softmax import MASKING, masked_softmax
from grader.misconceptions.attention.shared import about, catalogue, drift


@catalogue.flawed(
    "attention_weights",
    *MASKING,
    *about(
        "the-mask-comes-too-late",
        {
            "renormalised-afterwards": "Hidden keys are removed after the exponential; where a hidden score is far "
            "above the visible ones, these underflow to 0. Mask the scores first.",
        },
    ),
    *about(
        "the-softmax-overflows",
        {
            "maximum-of-everything": "The maximum of the whole tensor is subtracted, so rows far below it underflow to "
            "0; subtract each row's own.",
            "maximum-from-zero": "The maximum of a row is taken as 0 if all its scores are negative, so very negative "
            "rows underflow to 0; start at minus infinity.",
            "minimum-subtracted": "The smallest score is subtracted, so others overflow; subtract the largest.",
        },
    ),
    *about(
        "the-fill-is-not-small-enough",
        {"weak-fill": "Hidden scores become -10000, and visible ones may be as low; fill with minus infinity."},
    ),
    *about("the-scale", {"scaled-again": "You divide the scores by a root; they are scaled already."}),
    *drift(
        {
            "changes-scores": "Your function writes into scores, which belongs to the caller. (Methods that end in an "
            "underscore work in place.)",
            "changes-mask": "Your function writes into mask, which belongs to the caller. (Methods that end in an "
            "underscore work in place.)",
        },
        fails="test_leaves_arguments_alone",
    ),
    *drift(
        {"detached": "The result is cut off from the scores (by detach, no_grad or .data), so nothing can be trained."},
        fails="test_gradient",
    ),
    *drift(
        {"returns-float32": "The result is float32 although the scores are not: give back their dtype."},
        fails="test_bfloat16_many_keys",
    ),
)
def attention_weights(wrong: Wrong, scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """A softmax over the visible keys."""
    if mask is not None and wrong("changes-scores"):
        scores.masked_fill_(~mask, -math.inf)
    if mask is not None and wrong("changes-mask"):
        mask = ~mask.logical_not_()
    wide = scores.to(torch.promote_types(scores.dtype, torch.float32))
    if wrong("scaled-again"):
        wide = wide / math.sqrt(scores.shape[-1])
    weights = masked_softmax(wrong, wide, mask)
    if wrong("detached"):
        weights = weights.detach()
    return weights.to(torch.float32 if wrong("returns-float32") else scores.dtype)
