"""Showing a difference: one small input, the learner's answer beside the expected one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from grader.judge.agreement import alternative
from grader.judge.comparison import Difference
from grader.judge.diagnosis import Diagnosis
from grader.judge.misconception import Flawed
from grader.judge.observation import Observation
from grader.judge.probe import path_name
from grader.judge.values import Place, tensors
from grader.sandbox.reply import Outcome, Raised, Returned

SHOWN_WHOLE = 24
"""Numbers in a tensor that a person still reads at a glance."""
DIGITS = 4


def smallest(observations: Sequence[Observation]) -> Observation | None:
    """The failing observation with the fewest numbers to read; one with an empty tensor shows little."""
    failing = [o for o in observations if o.failed]
    return min(failing, key=lambda o: (_has_empty(o), o.probe.size), default=None)


def telling(observations: Sequence[Observation], flawed: Flawed, diagnosis: Diagnosis) -> Observation | None:
    """The smallest failing observation that the named mistake itself gets wrong."""
    names = frozenset(m.name for m in diagnosis.misconceptions[: 1 if diagnosis.either else None])
    shown = [o for o in observations if o.failed and alternative(flawed, names, o.probe, o.answer).departs(o.probe)]
    return smallest([o for o in shown if isinstance(o.outcome, Returned)]) or smallest(shown)


def _has_empty(observation: Observation) -> bool:
    return any(not tensor.numel() for _, tensor in tensors((observation.probe.args, dict(observation.probe.kwargs))))


def evidence(observation: Observation, *, hide_expected: bool = False) -> str:
    """Input, yours and expected, as a few lines of plain text."""
    difference = observation.comparison.difference
    if difference is None:
        return ""
    names = observation.probe.names
    digits = _digits(difference, observation)
    lines = ["with"]
    for name, value in _named_arguments(observation, names):
        lines += _labelled(f"  {name} = ", show(value, DIGITS))
    lines += _sides(observation, difference, names, digits, hide_expected)
    return "\n".join(lines)


def _sides(
    observation: Observation, difference: Difference, names: Sequence[str], digits: int, hide_expected: bool
) -> list[str]:
    yours, expected = _chosen(observation.outcome, difference), _chosen(observation.answer.given, difference)
    what = f" (gradient of {path_name(difference.path, names)})" if difference.path is not None else ""
    if difference.kind in ("accepted", "wrong-exception"):
        return [*_labelled(f"yours{what}: ", _described(observation.outcome, yours, digits)), "expected: a ValueError"]
    lines = _labelled(f"yours{what}: ", _described(observation.outcome, yours, digits))
    if hide_expected:
        return [*lines, "expected: not shown in this run"]
    lines += _labelled(f"expected{what}: ", show(expected, digits))
    if isinstance(expected, Tensor) and expected.numel() > SHOWN_WHOLE and isinstance(yours, Tensor):
        index = difference.index
        if yours.shape == expected.shape and len(index) == expected.dim():
            place = "[" + ", ".join(map(str, index)) + "]"
            lines.append(
                f"first difference at {place}: yours {number(yours[index], digits)}, "
                f"expected {number(expected[index], digits)}"
            )
    return lines


def _described(outcome: Outcome, value: Any, digits: int) -> str:
    if isinstance(outcome, Raised):
        frames = outcome.trace.splitlines()[:-1]  # the last line says again what was raised
        return "\n".join([f"raised {outcome.type_name}: {outcome.message}", *frames])
    if isinstance(outcome, Returned):
        return show(value, digits)
    return "no value"


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
    yours, expected = _chosen(observation.outcome, difference), _chosen(observation.answer.truth, difference)
    if not (isinstance(yours, Tensor) and isinstance(expected, Tensor) and yours.shape == expected.shape):
        return DIGITS
    if not expected.is_floating_point() or not expected.numel():
        return DIGITS
    gap = (yours.double() - expected.double()).abs()
    gap = gap[gap.isfinite()]
    largest, size = float(gap.max()) if gap.numel() else 0.0, float(expected.double().nan_to_num(0, 0, 0).abs().max())
    if largest <= 0 or size <= 0:
        return DIGITS
    return min(16, max(DIGITS, 2 + math.ceil(-math.log10(min(1.0, largest / size)))))


def _named_arguments(observation: Observation, names: Sequence[str]) -> list[tuple[str, Any]]:
    positional = [(path_name(i, names), value) for i, value in enumerate(observation.probe.args)]
    return positional + list(observation.probe.kwargs.items())


def _labelled(label: str, text: str) -> list[str]:
    first, *rest = text.splitlines() or [""]
    return [label + first, *(" " * len(label) + line for line in rest)]


def show(value: Any, digits: int = DIGITS) -> str:
    """A value as a person would write it; a large tensor by its shape and dtype."""
    if isinstance(value, Tensor):
        kind = str(value.dtype).removeprefix("torch.")
        if value.numel() > SHOWN_WHOLE or value.dim() > 3:
            return f"{kind} of shape {tuple(value.shape)}"
        tail = "" if value.dtype in (torch.float64, torch.int64, torch.bool) else f"   ({kind})"
        if not value.numel():
            return f"empty, of shape {tuple(value.shape)}{tail}"
        return _rows(value, digits) + tail
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {show(item, digits)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        inner = ", ".join(show(item, digits) for item in value)
        return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
    if callable(value):
        return f"the function {getattr(value, '__name__', 'given')}"
    return f"{value:.{digits}g}" if isinstance(value, float) else repr(value)


def _rows(value: Tensor, digits: int) -> str:
    if value.dim() == 0:
        return number(value, digits)
    if value.dim() == 1:
        return "[" + ", ".join(number(item, digits) for item in value) + "]"
    joint = ",\n" if value.dim() == 2 else ",\n\n"
    inner = joint.join(_rows(part, digits) for part in value)
    return "[" + inner.replace("\n", "\n ").replace("\n \n", "\n\n") + "]"


def number(item: Tensor, digits: int = DIGITS) -> str:
    """One element of a tensor."""
    plain = item.item()
    return f"{plain:.{digits}g}" if isinstance(plain, float) else str(plain)
