"""Scaled products of queries and keys, which scores and attention share."""

from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.attention.shared import about, drift

SCALE = about(
    "the-scale",
    {
        "no-scale": "The scores are not scaled: divide them by the square root of the width of a query.",
        "divides-by-width": "The scores are divided by the width itself: the root is missing, or the scale is applied "
        "twice (to the queries and to the scores, say).",
        "multiplies-by-root": "The scores are multiplied by the square root of the width; divide by it. (To divide by "
        "a power of -0.5 is to multiply.)",
        "root-of-keys": "You divide by the root of the number of keys; take the root of the width of a query, the size "
        "of its last axis.",
        "zero-scale": "All your scores are 0: look at the scale (1 // 2 is 0 in Python).",
    },
)
SCALES_Q_IN_PLACE = drift(
    {"changes-q": "Your function scales q in place, which changes the caller's tensor; work on a new one."},
    fails="test_leaves_arguments_alone",
)


def products(wrong: Wrong, q: Tensor, k: Tensor, width: int) -> Tensor:
    """Dot products of queries and keys, over the root of `width`."""
    factor = width**-0.5
    if wrong("no-scale"):
        factor = 1.0
    if wrong("divides-by-width"):
        factor = 1 / width
    if wrong("multiplies-by-root"):
        factor = width**0.5
    if wrong("root-of-keys"):
        factor = k.shape[-2] ** -0.5
    if wrong("zero-scale"):
        factor = 0.0
    return q.mul_(factor) @ k.mT if wrong("changes-q") else q @ k.mT * factor
