"""Showing a difference: one small input, the learner's answer beside the expected one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from grader.judge.agreement import alternative
from grader.judge.comparison import Difference, describe_type, part_name
from grader.judge.diagnosis import Diagnosis
from grader.judge.misconception import Flawed
from grader.judge.observation import Observation
from grader.judge.play import Play
from grader.judge.probe import path_name
from grader.judge.values import Place, size, tensors
from grader.sandbox.reply import Outcome, Raised, Returned

SHOWN_WHOLE = 28
"""Numbers in a tensor that a person still reads at a glance."""
SHOWN_MASK = 48
"""Booleans that a person still reads: they stand in columns."""
SHOWN_KEYS = 12
"""Entries of a dict of weights."""
DIGITS = 4
LARGE = 100.0, 1e7
"""Between these two a number keeps two decimals, or logits near 8000 would all look the same."""
LINE = 80
"""Characters that a list may fill on one line."""
EASY_DIGITS = 6
"""A difference that needs more digits than this is hard to see."""


def smallest(observations: Sequence[Observation]) -> Observation | None:
    """The failing observation that is easiest to read: no empty tensor, a difference that shows, few numbers."""
    failing = [o for o in observations if o.failed and o.probe.aim != "call"]  # a law's calls are not compared
    return min(failing, key=lambda o: (_has_empty(o), not _easy(o), o.probe.size), default=None)


def telling(observations: Sequence[Observation], flawed: Flawed, diagnosis: Diagnosis) -> Observation | None:
    """The failing observation that shows the named mistake best: one of the tidy first test, or else the smallest."""
    names = frozenset(m.name for m in diagnosis.misconceptions[: 1 if diagnosis.either else None])
    shown = [o for o in observations if o.failed and alternative(flawed, names, o.probe, o.answer).departs]
    returned = [o for o in shown if isinstance(o.outcome, Returned)]
    tidy = [o for o in returned if o.test == observations[0].test and _easy(o)]
    return smallest(tidy) or smallest(returned) or smallest(shown)


def _easy(observation: Observation) -> bool:
    """Whether everything is shown whole and the difference can be seen without counting digits."""
    difference = observation.comparison.difference
    if difference is None or _digits(difference, observation) > EASY_DIGITS:
        return False
    inputs = tensors((observation.probe.args, dict(observation.probe.kwargs)))
    return all(_is_shown_whole(tensor) for _, tensor in inputs)


def _has_empty(observation: Observation) -> bool:
    return any(not tensor.numel() for _, tensor in tensors((observation.probe.args, dict(observation.probe.kwargs))))


def evidence(observation: Observation, *, hide_expected: bool = False) -> str:
    """Input, yours and expected, as a few lines of plain text."""
    difference = observation.comparison.difference
    if difference is None:
        return ""
    names = observation.probe.labels
    digits = _digits(difference, observation)
    lines = ["with" + _way(observation.probe.play)]
    for name, value in _named_arguments(observation, names):
        # Where no number is wrong, dtypes and shapes say more than numbers.
        lines += _labelled(f"  {name} = ", _form(value) if difference.kind in ("dtype", "detached") else show(value))
    if difference.kind == "gradient" and _is_shown_whole(incoming := observation.answer.cotangent):
        lines += _labelled("  gradient of the result = ", show(incoming, DIGITS))
    lines += _sides(observation, difference, names, digits, hide_expected)
    return "\n".join(lines)


def _sides(
    observation: Observation, difference: Difference, names: Sequence[str], digits: int, hide_expected: bool
) -> list[str]:
    yours, expected = _chosen(observation.outcome, difference), _chosen(observation.answer.given, difference)
    what = _what(difference, names)
    mine, wanted = f"yours{what}: ", f"expected{what}: "
    if difference.kind in ("accepted", "wrong-exception"):
        return [*_labelled(mine, _described(observation.outcome, yours, digits)), "expected: a ValueError"]
    if difference.kind == "detached":
        cut = observation.probe.wrt if difference.path is None else (difference.path,)
        wrt = " and ".join(path_name(path, names) for path in cut)
        return [f"yours: right values, but no gradient of {wrt}", f"expected: a gradient of {wrt}"]
    if difference.kind == "dtype":
        return [mine + _form(yours), "expected: not shown in this run" if hide_expected else wanted + _form(expected)]
    lines = _labelled(mine, _described(observation.outcome, yours, digits))
    if difference.kind == "type" and yours is not None:
        lines[-1] += f"   ({describe_type(yours)})"
    if not observation.answer.known:
        return lines
    if hide_expected:
        return [*lines, "expected: not shown in this run"]
    shown, first = show(expected, digits), _first_difference(difference, yours, expected, digits)
    if first and lines == [mine + shown]:
        return [first]  # by their shapes alone both read the same
    lines += _labelled(wanted, shown)
    if difference.kind == "type":
        lines[-1] += f"   ({describe_type(expected)})"
    return [*lines, first] if first else lines


def _first_difference(difference: Difference, yours: Any, expected: Any, digits: int) -> str:
    """Where two tensors that are too large to be shown whole differ first; empty where that cannot be said."""
    if not (isinstance(expected, Tensor) and isinstance(yours, Tensor)) or _is_shown_whole(expected):
        return ""
    index = difference.index
    if yours.shape != expected.shape or len(index) != expected.dim():
        return ""
    place = "[" + ", ".join(map(str, index)) + "]"
    mine, wanted = number(yours[index], digits), number(expected[index], digits)
    return f"first difference at {place}: yours {mine}, expected {wanted}"


def _what(difference: Difference, names: Sequence[str]) -> str:
    """Which gradient or which part of the result is shown, in brackets; empty for the whole result."""
    if difference.path is not None:
        return f" (gradient of {path_name(difference.path, names)})"
    return f" ({part_name(difference.place)})" if difference.place else ""


def _form(value: Any) -> str:
    """The dtype and shape of a tensor."""
    if not isinstance(value, Tensor):
        return show(value)
    return f"{_dtype(value)}, a single number" if value.dim() == 0 else f"{_dtype(value)} of shape {tuple(value.shape)}"


def _described(outcome: Outcome, value: Any, digits: int) -> str:
    if isinstance(outcome, Raised):
        frames = outcome.trace.splitlines()[:-1]  # the last line says again what was raised
        return "\n".join([f"raised {outcome.type_name}: {outcome.message}".removesuffix(": "), *frames])
    if isinstance(outcome, Returned):
        return show(value, digits)
    return "no result"


def _chosen(outcome: Outcome, difference: Difference) -> Any:
    if not isinstance(outcome, Returned):
        return None
    if difference.path is not None:
        return (outcome.gradients or {}).get(difference.path)
    return _at(outcome.value, difference.place)


def _at(value: Any, place: Place) -> Any:
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return value
    return value


def _digits(difference: Difference, observation: Observation) -> int:
    """Enough digits for the difference to be seen."""
    if difference.kind not in ("value", "gradient"):
        return DIGITS
    yours, expected = _chosen(observation.outcome, difference), _chosen(observation.answer.truth, difference)
    if not (isinstance(yours, Tensor) and isinstance(expected, Tensor) and yours.shape == expected.shape):
        return DIGITS
    if not expected.is_floating_point() or not expected.numel():
        return DIGITS
    if not torch.equal(yours.isfinite(), expected.isfinite()):
        return DIGITS
    gap = (yours.double() - expected.double()).abs()
    gap = gap[gap.isfinite()]
    largest, size = float(gap.max()) if gap.numel() else 0.0, float(expected.double().nan_to_num(0, 0, 0).abs().max())
    if largest <= 0 or size <= 0:
        return DIGITS
    return min(16, max(DIGITS, 2 + math.ceil(-math.log10(min(1.0, largest / size)))))


def _way(play: Play | None) -> str:
    """How a play uses the function, in brackets."""
    told = ((play and play.__doc__) or "").strip().splitlines()
    return f" ({told[0].rstrip('.')})" if told else ""


def _named_arguments(observation: Observation, names: Sequence[str]) -> list[tuple[str, Any]]:
    positional = [(path_name(i, names), value) for i, value in enumerate(observation.probe.args)]
    return positional + list(observation.probe.kwargs.items())


def _labelled(label: str, text: str) -> list[str]:
    first, *rest = text.splitlines() or [""]
    return [label + first, *(" " * len(label) + line for line in rest)]


def show(value: Any, digits: int = DIGITS) -> str:
    """A value as a person would write it; a large tensor by its shape and dtype."""
    if isinstance(value, Tensor):
        if not _is_shown_whole(value):
            return _form(value)
        tail = "" if value.dtype in (torch.float64, torch.int64, torch.bool) else f"   ({_dtype(value)})"
        if not value.numel():
            return f"empty, of shape {tuple(value.shape)}{tail}"
        return _rows(value, digits) + tail
    if isinstance(value, Mapping):
        return _mapping(value, digits)
    if isinstance(value, list | tuple):
        return _sequence([show(item, digits) for item in value], "()" if isinstance(value, tuple) else "[]")
    if callable(value):
        return f"the function {getattr(value, '__name__', 'given')}"
    return f"{value:.{digits}g}" if isinstance(value, float) else repr(value)


def _mapping(value: Mapping[str, Any], digits: int) -> str:
    """Weights by key: their numbers while they are few, their shapes while the keys are few."""
    whole = size(dict(value)) <= SHOWN_WHOLE
    items = [
        f"{key!r}: {show(item, digits) if whole or not isinstance(item, Tensor) else _form(item)}"
        for key, item in list(value.items())[:SHOWN_KEYS]
    ]
    if len(value) > SHOWN_KEYS:
        items.append(f"and {len(value) - SHOWN_KEYS} more")
    return _sequence(items, "{}")


def _sequence(items: list[str], brackets: str) -> str:
    """On one line, or with each item on lines of its own if one of them needs several."""
    long = any("\n" in item for item in items) or sum(map(len, items)) > LINE
    joint = ",\n " if long else ", "
    return brackets[0] + joint.join(item.replace("\n", "\n ") for item in items) + brackets[1]


def _is_shown_whole(value: Any) -> bool:
    if not isinstance(value, Tensor) or value.dim() > 3:
        return False
    return value.numel() <= (SHOWN_MASK if value.dtype == torch.bool else SHOWN_WHOLE)


def _dtype(value: Tensor) -> str:
    return str(value.dtype).removeprefix("torch.")


def _rows(value: Tensor, digits: int) -> str:
    if value.dim() == 0:
        return number(value, digits)
    if value.dim() == 1:
        width = 5 if value.dtype == torch.bool else 0  # True and False stand in columns
        return "[" + ", ".join(number(item, digits).rjust(width) for item in value) + "]"
    joint = ",\n" if value.dim() == 2 else ",\n\n"
    inner = joint.join(_rows(part, digits) for part in value)
    return "[" + inner.replace("\n", "\n ").replace("\n \n", "\n\n") + "]"


def number(item: Tensor, digits: int = DIGITS) -> str:
    """One element of a tensor."""
    plain = item.item()
    if not isinstance(plain, float):
        return str(plain)
    plain += 0.0  # minus zero reads as zero
    if LARGE[0] <= abs(plain) < LARGE[1] and digits <= DIGITS:
        return f"{plain:.2f}".rstrip("0").rstrip(".")
    return f"{plain:.{digits}g}"
