"""What several exercises on decoding share: the catalogue, refusals, and what is handed back."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("decoding")


def about(section: str, says: Mapping[str, str], fails: str | None = None) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails) for name, sentence in says.items())


def drift(says: Mapping[str, str], fails: str) -> tuple[Misconception, ...]:
    """Mistakes that no value shows: arguments, gradients, dtypes."""
    return about("arguments-change-gradients-vanish-types-drift", says, fails)


def refusal(says: Mapping[str, str], fails: str) -> tuple[Misconception, ...]:
    """What can go wrong with arguments that have no meaning."""
    return about("bad-arguments-are-refused", says, fails)


def refuse(wrong: Wrong, bad: bool, message: str) -> None:
    """Raise what bad arguments are answered with, in functions that declare `assertion`."""
    if bad and wrong("assertion"):
        raise AssertionError(message)
    if bad:
        raise ValueError(message)


LOGITS_DRIFT = (
    *drift(
        {"changes-logits": "The caller's logits are changed in place; work on new tensors."},
        fails="test_leaves_arguments_alone",
    ),
    *drift(
        {"returns-float32": "The result is float32 whatever came in: give back the dtype of the logits."},
        fails="test_dtype",
    ),
)
"""What may happen to logits on their way through a filter."""


def logits_back(wrong: Wrong, logits: Tensor, result: Tensor) -> Tensor:
    """A filter's result in the form in which it is handed back."""
    result = result.to(torch.float32 if wrong("returns-float32") else logits.dtype)
    if wrong("changes-logits"):
        logits.copy_(result)
    return result


RULED_OUT = about(
    "ruled-out-means-minus-infinity",
    {
        "fills-with-zero": "Dropped logits are set to 0. A logit of 0 is as good as any other: only -inf has "
        "probability 0.",
        "fills-with-a-finite-number": "Dropped logits are set to a large negative number; they should be -inf.",
        "multiplied-by-a-mask": "The logits are multiplied by a mask of 0 and 1. A logit of 0 is as good as any other, "
        "and 0 times -inf is NaN: fill with -inf.",
        "returns-probabilities": "Probabilities are returned; the result is logits, unchanged where they are kept.",
        "returns-log-probabilities": "The logits that stay are normalized to log-probabilities; they stay unchanged.",
    },
)
"""What may stand in place of dropped logits."""


def filtered(wrong: Wrong, logits: Tensor, keep: Tensor) -> Tensor:
    """Logits where they are kept and something else where they are not."""
    fill = 0.0 if wrong("fills-with-zero") else -1e9 if wrong("fills-with-a-finite-number") else -math.inf
    result = logits * keep if wrong("multiplied-by-a-mask") else torch.where(keep, logits, fill)
    if wrong("returns-log-probabilities"):
        return result.log_softmax(-1)
    return result.softmax(-1) if wrong("returns-probabilities") else result
