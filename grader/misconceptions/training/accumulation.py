"""Known mistakes of the mean loss of several micro-batches."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.judge.misconception import Misconception, Wrong
from grader.misconceptions.training.shared import FORM, about, catalogue, cut_off, float64_results, given_back, widened

FIRST_TEST = "test_two_micro_batches"
SECTION = "a-mean-of-means"


@dataclass(frozen=True)
class Unrefused:
    """What becomes of a call in which nothing counts. none: what is raised, or returned, for empty lists."""

    says: str
    zero: float | type[Exception]
    none: float | type[Exception]


NAN = "When nothing counts you return NaN; there is no mean: raise ValueError."
ZERO = "When nothing counts you return 0, a perfect score; raise ValueError."
DIVISION = "When nothing counts the division fails with another error; check first and raise ValueError."
ALSO = " Empty lists are refused already, counts that add up to 0 are not."
UNREFUSED = {
    "nan-when-nothing-counts": Unrefused(NAN, math.nan, math.nan),
    "nan-from-added-sums": Unrefused(NAN, math.nan, ZeroDivisionError),
    "nan-from-stacked-sums": Unrefused(NAN, math.nan, RuntimeError),
    "nan-from-the-first-sum": Unrefused(NAN, math.nan, IndexError),
    "nan-unless-empty": Unrefused(NAN + ALSO, math.nan, ValueError),
    "zero-when-nothing-counts": Unrefused(ZERO, 0.0, 0.0),
    "zero-from-stacked-sums": Unrefused(ZERO, 0.0, RuntimeError),
    "zero-from-the-first-sum": Unrefused(ZERO, 0.0, IndexError),
    "zero-unless-empty": Unrefused(ZERO + ALSO, 0.0, ValueError),
    "division-by-zero": Unrefused(DIVISION, ZeroDivisionError, ZeroDivisionError),
    "division-by-zero-after-stacking": Unrefused(DIVISION, ZeroDivisionError, RuntimeError),
}
"""Calls that should be refused, by the way in which the sums are added up."""


@catalogue.flawed(
    "accumulate_loss",
    *about(
        SECTION,
        {
            "mean-of-means": "You average the means of the micro-batches, so targets of small ones weigh more; add up "
            "all losses and divide by all targets.",
            "mean-of-filled-means": "You average the means of those micro-batches that have targets; add up all losses "
            "and divide by all targets.",
            "divided-by-micro-batches": "The sums are divided by the number of micro-batches; divide by the number of "
            "targets.",
            "divided-twice": "The loss is divided by the number of micro-batches as well; the number of targets is "
            "enough.",
            "sums-taken-for-means": "Each sum is multiplied by its count as if it were a mean; the sums are summed "
            "already.",
            "sum-not-mean": "The losses are added up and never divided; divide by the number of targets.",
            "last-one-dropped": "The last micro-batch is left out; all of them count.",
            "last-one-only": "Only the last micro-batch counts, probably since a variable is overwritten in the loop.",
            "divided-by-the-first-count": "All micro-batches are taken to be as large as the first; they differ, add "
            "up the counts.",
            "means-added": "The means of the micro-batches are added up; add up losses and targets, and divide once.",
            "empty-ones-count-1": "A micro-batch without targets is counted as if it had one; it adds 0 to both sums.",
        },
    ),
    *about(SECTION, {name: refusal.says for name, refusal in UNREFUSED.items()}, fails="test_nothing_counts"),
    *about(
        FORM,
        {"float-returned": "You return a Python number, which has no gradient; return a scalar tensor."},
        fails=FIRST_TEST,
    ),
    *about(
        FORM,
        {
            "one-element-vector": "Your result has one axis of length 1; a scalar tensor, of shape (), was asked for.",
            "always-float32": "The result is float32 whatever comes in; give back the dtype of the sums.",
        },
        fails=FIRST_TEST,
    ),
    Misconception(
        "returns-float32",
        "16-bit sums come back as float32. Compute in float32, but give back the dtype of the sums.",
        FORM,
        fails="test_dtype",
    ),
    float64_results("sums", "test_dtype"),
    cut_off("test_gradients"),
    Misconception(
        "changes-the-first-sum",
        "The other sums are added onto the first one with +=, which changes the caller's tensor; start from a new one.",
        FORM,
        fails="test_leaves_arguments_alone",
    ),
)
def accumulate_loss(wrong: Wrong, sums: list[Tensor], counts: list[int]) -> Tensor | float:
    """All losses over all targets, with switches."""
    total = sum(counts)
    if total == 0:
        for name, refusal in UNREFUSED.items():
            if wrong(name):
                return _unrefused(refusal, sums)
        raise ValueError("nothing counts")
    dtype = sums[0].dtype
    loss = _averaged(wrong, [widened(wrong, s) for s in sums], counts)
    if wrong("changes-the-first-sum"):
        for other in sums[1:]:
            sums[0] += other
    loss = given_back(wrong, loss, dtype)
    if wrong("float-returned"):
        return float(loss.detach())
    loss = loss.reshape(1) if wrong("one-element-vector") else loss
    return loss.detach() if wrong("no-gradient") else loss


def _unrefused(refusal: Unrefused, sums: list[Tensor]) -> Tensor:
    """What comes of a call in which nothing counts."""
    result = refusal.zero if sums else refusal.none
    if isinstance(result, float):
        return torch.tensor(result, dtype=sums[0].dtype if sums else None)
    raise result("nothing counts")


def _averaged(wrong: Wrong, sums: list[Tensor], counts: list[int]) -> Tensor:
    """One number for all targets."""
    if wrong("last-one-dropped"):
        sums, counts = sums[:-1], counts[:-1]
    if wrong("last-one-only"):
        sums, counts = sums[-1:], counts[-1:]
    losses, sizes = torch.stack(sums) if sums else torch.zeros(0), torch.tensor(counts)
    if wrong("mean-of-means"):
        return (losses / sizes).mean()
    if wrong("mean-of-filled-means"):
        return (losses / sizes)[sizes > 0].mean()
    if wrong("means-added"):
        return (losses / sizes).sum()
    if wrong("sums-taken-for-means"):
        losses = losses * sizes
    if wrong("sum-not-mean"):
        return losses.sum()
    divisor = sum(counts)
    if wrong("divided-by-micro-batches"):
        divisor = len(counts)
    if wrong("divided-twice"):
        divisor = divisor * len(counts)
    if wrong("divided-by-the-first-count"):
        divisor = counts[0] * len(counts)
    if wrong("empty-ones-count-1"):
        divisor = sum(max(count, 1) for count in counts)
    return losses.sum() / divisor
