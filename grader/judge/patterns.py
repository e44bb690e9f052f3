"""What the pattern of failures says when no known mistake explains them.

The catalogue knows the mistakes of each exercise; these are causes that any function may have. They are told from which
questions failed and how, never from the source.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.judge.agreement import disturbs, precise
from grader.judge.observation import Observation
from grader.judge.values import tensors
from grader.sandbox.reply import Died, NotAValue, Raised, Returned

SIXTEEN_BITS = (2.0**-13, 2.0**-6)
"""Relative errors that rounding to 16 bits leaves, from a single rounding of a float16 to several of a bfloat16."""
CONSTANT = 1e-6
"""Relative spread under which numbers count as one constant."""


@dataclass(frozen=True)
class Pattern:
    """A general cause. id: `general.` and a name; says: to the learner."""

    id: str
    says: str


@dataclass(frozen=True)
class _Seen:
    """The observations of an exercise, those that went wrong and the rest."""

    failed: Sequence[Observation]
    right: Sequence[Observation]


def pattern(observations: Sequence[Observation]) -> Pattern | None:
    """The general cause that fits all failures, None if none does."""
    seen = [o for o in observations if not isinstance(o.outcome, Died | NotAValue)]
    failed = [o for o in seen if o.failed or disturbs(o.outcome, o.probe)]
    right = [o for o in seen if o.answer.known and not o.failed and not disturbs(o.outcome, o.probe)]
    if not failed:
        return None
    for find in _FINDERS:
        if found := find(_Seen(failed, right)):
            return found
    return None


def _changes_arguments(seen: _Seen) -> Pattern | None:
    if any(o.failed for o in seen.failed):
        return None
    says = "Your function changes its arguments. The caller still needs them: work on new tensors."
    return Pattern("general.changes-arguments", says)


def _refuses(seen: _Seen) -> Pattern | None:
    first = seen.failed[0].outcome
    if not all(
        isinstance(o.outcome, Raised) and o.outcome.is_value_error and o.probe.aim != "raises" for o in seen.failed
    ):
        return None
    assert isinstance(first, Raised)
    return Pattern(
        "general.refuses-valid-arguments",
        f"Your function refuses arguments that are valid ({first.message or 'ValueError'}).",
    )


def _other_exception(seen: _Seen) -> Pattern | None:
    first = seen.failed[0].outcome
    if not all(o.probe.aim == "raises" and isinstance(o.outcome, Raised) for o in seen.failed):
        return None
    assert isinstance(first, Raised)
    return Pattern(
        "general.wrong-exception",
        f"Bad arguments do not get through, but they end in {first.type_name}; check them first and raise ValueError.",
    )


def _accepts(seen: _Seen) -> Pattern | None:
    if not all(o.probe.aim == "raises" and isinstance(o.outcome, Returned) for o in seen.failed):
        return None
    return Pattern("general.accepts-bad-arguments", "Arguments that must be refused with a ValueError get an answer.")


def _empty_only(seen: _Seen) -> Pattern | None:
    if not all(_empty(o) for o in seen.failed) or not seen.right or any(_empty(o) for o in seen.right):
        return None
    return Pattern("general.empty-batch", "Right, but an empty batch is not handled (a leading axis of length 0).")


def _fixed_axes(seen: _Seen) -> Pattern | None:
    if not {o.comparison.difference.kind for o in seen.failed if o.comparison.difference} <= {"raised", "shape"}:
        return None  # a wrong number of axes ends in an exception or a wrong shape, a wrong formula in wrong numbers
    bad, good = {_axes(o) for o in seen.failed}, {_axes(o) for o in seen.right if o.probe.aim != "raises"}
    if not good or bad & good or None in bad | good:
        return None
    return Pattern(
        "general.fixed-axes",
        f"Right for {_counted(good)}, wrong for {_counted(bad)}. Count axes from the end (-1, -2), keep a reduced axis "
        "where it must still line up (keepdim), and leave the leading ones alone.",
    )


def _low_precision(seen: _Seen) -> Pattern | None:
    if any(precise(o.probe) for o in seen.failed) or not any(precise(o.probe) for o in seen.right):
        return None
    names = sorted({str(o.probe.dtype).removeprefix("torch.") for o in seen.failed})
    return Pattern(
        "general.precision",
        f"Right in float64, wrong in {' and '.join(names)}: numbers leave the range or lose their digits on the way."
        + (" Compute in float32 and go back to the dtype that came in." if "float32" not in names else ""),
    )


def _gradients_only(seen: _Seen) -> Pattern | None:
    kinds = {o.comparison.difference.kind for o in seen.failed if o.comparison.difference}
    if not kinds <= {"gradient", "detached"} or any(disturbs(o.outcome, o.probe) for o in seen.failed):
        return None
    return Pattern(
        "general.gradient",
        "The values are right, the gradients are not. Usual causes: detach, no_grad or .item(), and a NaN that is "
        "replaced after it arose.",
    )


def _sixteen_bits(seen: _Seen) -> Pattern | None:
    gaps = [_relative_gap(o) for o in seen.failed if precise(o.probe) and not _empty(o)]
    known = [gap for gap in gaps if gap is not None]
    if not known or len(known) < len(gaps) or not all(SIXTEEN_BITS[0] < gap < SIXTEEN_BITS[1] for gap in known):
        return None
    return Pattern(
        "general.sixteen-bits",
        "Your numbers agree with the expected ones to two or three digits and no further, as if something were "
        "computed or stored in 16 bits on the way.",
    )


def _factor(seen: _Seen) -> Pattern | None:
    factors = _constants(seen.failed, lambda mine, expected: mine / expected)
    if factors is None:
        return None
    if max(factors) - min(factors) <= CONSTANT * abs(factors[0]):
        size = f"{_factor_text(factors[0])} times the expected one, everywhere"
    else:
        several = ", ".join(dict.fromkeys(_factor_text(factor) for factor in factors[:3]))
        size = f"the expected one times a number that differs from input to input ({several}, ...)"
    return Pattern("general.factor", f"Your result is {size}: a factor is wrong or missing.")


def _factor_text(factor: float) -> str:
    """Four digits, or as many as tell it from 1."""
    away = abs(factor - 1)
    return f"{factor:.{2 - math.floor(math.log10(away)) if 0 < away < 1e-3 else 4}g}"


def _offset(seen: _Seen) -> Pattern | None:
    offsets = _constants(seen.failed, lambda mine, expected: mine - expected)
    if offsets is None:
        return None
    return Pattern("general.offset", "Your result is the expected one plus a constant: a term is wrong or missing.")


_FINDERS = (
    _changes_arguments, _other_exception, _accepts, _empty_only, _fixed_axes, _refuses, _low_precision,
    _gradients_only, _sixteen_bits, _factor, _offset,
)  # fmt: skip


def _relative_gap(observation: Observation) -> float | None:
    mine, given = observation.outcome, observation.answer.given
    if not (isinstance(mine, Returned) and isinstance(given, Returned)):
        return None
    if not (isinstance(mine.value, Tensor) and isinstance(given.value, Tensor)):
        return None
    if mine.value.shape != given.value.shape or not given.value.is_floating_point():
        return None
    gap = (mine.value.double() - given.value.double()).abs().max()
    return float(gap / given.value.double().abs().max())


def _empty(observation: Observation) -> bool:
    arguments = (observation.probe.args, dict(observation.probe.kwargs))
    return any(not tensor.numel() for _, tensor in tensors(arguments))


def _axes(observation: Observation) -> int | None:
    return next((tensor.dim() for _, tensor in tensors(observation.probe.args)), None)


def _counted(axes: set[int | None]) -> str:
    names = [str(n) for n in sorted(n for n in axes if n is not None)]
    return f"inputs with {' or '.join(names)} {'axis' if names == ['1'] else 'axes'}"


def _constants(failed: Sequence[Observation], relate: Callable[[Tensor, Tensor], Tensor]) -> list[float] | None:
    """One constant for each failing float64 value with several elements, None if any is not constant."""
    found: list[float] = []
    for observation in failed:
        mine, given = observation.outcome, observation.answer.given
        if not precise(observation.probe) or _empty(observation):
            continue
        if not (isinstance(mine, Returned) and isinstance(given, Returned)):
            return None
        if not (isinstance(mine.value, Tensor) and isinstance(given.value, Tensor)):
            return None
        if mine.value.shape != given.value.shape or not given.value.is_floating_point():
            return None
        related = relate(mine.value.double(), given.value.double()).flatten()
        related = related[torch.isfinite(related)]
        if not related.numel():
            return None
        spread = float(related.max() - related.min())
        if spread > CONSTANT * float(related.abs().max()):
            return None
        if given.value.numel() > 1:
            found.append(float(related[0]))
    return found if len(found) > 1 else None
