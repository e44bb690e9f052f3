"""Known mistakes of perplexity and of entropy in bits."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Misconception, Wrong
from grader.misconceptions.objective.shared import (
    EPSILONS,
    about,
    catalogue,
    changes,
    cut_off,
    epsilons,
    float32_results,
    given_back,
    widened,
)

ENTROPY_EPSILONS = ("epsilon-1e-6", "epsilon-1e-8", "epsilon-1e-5", "epsilon-1e-7", "epsilon-1e-9")
"""The constants that are tried; less disappears in rounding and is no mistake."""
BIASED = "{} is added inside the logarithm, which biases every entry; handle zeros alone."


@catalogue.flawed(
    "perplexity",
    *about(
        "nats-or-bits",
        {
            "base-two": "You raise 2 to the power of the loss; the loss is in nats, so the base is e.",
            "base-ten": "You raise 10 to the power of the loss; the loss is in nats, so the base is e.",
            "sign-lost": "The sign of the loss is flipped, so the result lies below 1; a perplexity is at least 1.",
            "converted-to-bits-first": "The loss is converted to bits before e is raised to it, which mixes two bases; "
            "leave it in nats.",
            "loss-returned": "You return the loss itself; perplexity is its exponential.",
            "logarithm-taken": "You take the logarithm of the loss; the loss is a logarithm already: undo it.",
            "loss-halved": "The loss is halved before the exponential; the mean loss goes in as it is.",
            "capped-loss": "The loss is cut off at 20 before the exponential; nothing is to be capped.",
        },
    ),
    Misconception(
        "nan-passed-on",
        "A NaN goes in and a NaN comes out; raise ValueError. (A NaN equals nothing, not even itself.)",
        "leave-ignored-rows-out",
        fails="test_nan",
    ),
    Misconception(
        "python-number",
        "You return a Python float, which has neither dtype nor gradient; return a scalar tensor.",
        "gradients-dtypes-and-arguments",
        fails="test_small_loss",
    ),
    Misconception(
        "one-element",
        "The result has an axis of length 1; a scalar tensor has none.",
        "gradients-dtypes-and-arguments",
        fails="test_small_loss",
    ),
    *float32_results("loss", "test_dtype_of_the_loss", "test_small_loss"),
    cut_off("perplexity is", "test_gradient"),
    changes("loss"),
)
def perplexity(wrong: Wrong, loss: Tensor) -> Tensor | float:
    """e to the power of the loss."""
    if bool(loss.isnan().any()) and not wrong("nan-passed-on"):
        raise ValueError("the loss is NaN")
    x = widened(wrong, loss)
    if wrong("loss-halved"):
        x = x / 2
    if wrong("capped-loss"):
        x = x.clamp(max=20.0)
    if wrong("converted-to-bits-first"):
        x = x / math.log(2)
    x = -x if wrong("sign-lost") else x
    if wrong("base-two") or wrong("base-ten"):
        x = x * math.log(2 if wrong("base-two") else 10)
    if wrong("loss-returned"):
        result = x * 1
    else:
        result = x.log() if wrong("logarithm-taken") else x.exp()
    if wrong("changes-loss"):
        loss.exp_()
    if wrong("python-number"):
        return result.item()
    return given_back(wrong, result.reshape(1) if wrong("one-element") else result, loss.dtype)


@catalogue.flawed(
    "entropy_bits",
    *about(
        "nats-or-bits",
        {
            "nats-not-bits": "The logarithm is natural, so the entropy is in nats; bits have base 2.",
            "minus-missing": "The minus sign is missing; entropy is never below 0.",
            "divided-by-log-v": "The entropy is divided by the largest possible one, log2 V; return it undivided.",
            "mean-not-sum": "The terms are averaged over the axis; sum them.",
        },
    ),
    *about(
        "zero-log-zero",
        {
            "nan-at-0": "0 times log 0 gives NaN; a probability of 0 contributes nothing.",
            **epsilons(ENTROPY_EPSILONS[:2], BIASED),
            "raised-to-1e-9": "Probabilities are clamped to at least 1e-9, so impossible outcomes contribute; handle "
            "zeros alone.",
            "softmax-again": "Softmax is applied to the probabilities; they are a distribution already.",
            "logarithms-unweighted": "The logarithms are not weighted by the probabilities: each term is p log p.",
            "collision-entropy": "You take the logarithm of the sum of squares, a different entropy; sum -p log p.",
        },
    ),
    *about("zero-log-zero", epsilons(ENTROPY_EPSILONS[2:], BIASED), fails="test_many_tiny_probabilities", alone=True),
    Misconception(
        "gradient-nan-at-0",
        "The value is right, but the logarithm of 0 is in the graph and its gradient is NaN; replace the zero before "
        "the logarithm, not the NaN after it.",
        "zero-log-zero",
        fails="test_gradients_at_zero",
    ),
    *about(
        "the-axis-is-an-argument",
        {
            "always-last-axis": "dim is not used: your function always sums over the last axis.",
            "always-axis-1": "dim is not used: your function always sums over axis 1 (of a single axis, that one).",
        },
    ),
    *about(
        "the-axis-is-an-argument",
        {
            "axis-kept": "The summed axis stays, with length 1; it should disappear (no keepdim).",
            "summed-over-everything": "All entries are summed into one number; each slice along dim has its own "
            "entropy.",
        },
        fails="test_small_rows",
    ),
    *float32_results("probabilities", "test_dtype_of_the_probabilities", "test_small_rows"),
    cut_off("entropy is", "test_gradients"),
    changes("probabilities"),
)
def entropy_bits(wrong: Wrong, probabilities: Tensor, dim: int = -1) -> Tensor:
    """The sum of -p log2 p along one axis."""
    if wrong("always-last-axis"):
        dim = -1
    if wrong("always-axis-1"):
        dim = min(1, probabilities.dim() - 1)
    p = widened(wrong, probabilities)
    p = p.softmax(dim) if wrong("softmax-again") else p
    if wrong("raised-to-1e-9"):
        p = p.clamp(min=1e-9)
    if wrong("changes-probabilities"):
        probabilities.masked_fill_(probabilities == 0, 1.0)
    terms = _information(wrong, p)
    if wrong("summed-over-everything"):
        total = terms.sum()
    elif wrong("collision-entropy"):
        total = -p.square().sum(dim).log2()
    else:
        reduce = torch.mean if wrong("mean-not-sum") else torch.sum
        total = reduce(terms, dim, keepdim=wrong("axis-kept"))
    total = total * math.log(2) if wrong("nats-not-bits") else total
    if wrong("divided-by-log-v"):
        total = total / math.log2(p.shape[dim])
    return given_back(wrong, -total if wrong("minus-missing") else total, probabilities.dtype)


def _information(wrong: Wrong, p: Tensor) -> Tensor:
    """What each outcome contributes."""
    if wrong("nan-at-0"):
        return -p * p.log2()
    if wrong("gradient-nan-at-0"):
        return torch.where(p == 0, torch.zeros_like(p), -p * p.log2())
    for name in ENTROPY_EPSILONS:
        if wrong(name):
            epsilon = EPSILONS[name]
            return -p * (p + epsilon).log2()
    logarithms = torch.where(p == 0, torch.ones_like(p), p).log2()
    return -logarithms if wrong("logarithms-unweighted") else -p * logarithms
