"""Comparing an outcome with what was expected, in the order in which a person would look.

Raised at all, type, shape, dtype, pattern of infinities and NaN, values, gradients. The first difference is reported.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from grader.judge.answer import Answer
from grader.judge.probe import Probe, path_name
from grader.judge.values import Place
from grader.sandbox.reply import Died, NotAValue, Outcome, Path, Raised, Returned

Kind = Literal[
    "died", "raised", "accepted", "wrong-exception", "type", "shape", "dtype", "finiteness", "value", "detached",
    "gradient",
]  # fmt: skip


_INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
"""Dtypes that may stand for one another: torch compares them all."""
ORDINALS = ("first", "second", "third", "fourth")


@dataclass(frozen=True)
class Difference:
    """The first thing that is not as expected.

    ratio: distance in pass lines (infinite where it is no matter of distance); index: the first element that differs;
    path: the gradient's argument.
    """

    kind: Kind
    sentence: str
    ratio: float = math.inf
    place: Place = ()
    index: tuple[int, ...] = ()
    path: Path | None = None


@dataclass(frozen=True)
class Comparison:
    """difference: None if the answer passes; fine: the largest distance in float64 lines, to tell neighbours apart."""

    difference: Difference | None
    fine: float = 0.0


def compare(outcome: Outcome, answer: Answer, probe: Probe) -> Comparison:
    """Judge one outcome. A probe that expects ValueError passes only if that (or a subclass) was raised."""
    if isinstance(outcome, Died):
        return Comparison(Difference("died", outcome.detail))
    if isinstance(outcome, NotAValue):
        return Comparison(
            Difference("type", f"Your function returned {outcome.description}; {_wanted(answer)} was expected.")
        )
    if probe.aim == "raises":
        return Comparison(_refusal(outcome))
    if isinstance(outcome, Raised):
        raised = f"{outcome.type_name}: {outcome.message}".removesuffix(": ")
        return Comparison(Difference("raised", f"Your function raised {raised}"))
    if not answer.known:
        return Comparison(None)
    expected = answer.given
    assert isinstance(expected, Returned)
    assert isinstance(answer.truth, Returned)
    found = _compare_value(outcome.value, expected.value, answer.truth.value, answer, probe, ())
    if found.difference is None and probe.wrt:
        gradients = _compare_gradients(outcome, answer, probe)
        return Comparison(gradients.difference, max(found.fine, gradients.fine))
    return found


def _refusal(outcome: Outcome) -> Difference | None:
    if isinstance(outcome, Returned):
        return Difference("accepted", "Your function accepted arguments that it should refuse with a ValueError.")
    assert isinstance(outcome, Raised)
    if outcome.is_value_error:
        return None
    raised = f"{outcome.type_name} ({outcome.message})" if outcome.message else outcome.type_name
    return Difference("wrong-exception", f"Your function raised {raised}; a ValueError was expected.")


def _wanted(answer: Answer) -> str:
    if not answer.known:
        return "a plain value"
    return describe_type(answer.given.value) if isinstance(answer.given, Returned) else "a ValueError"


def describe_type(value: Any) -> str:
    """What a value is, in words."""
    if isinstance(value, Tensor):
        return "a tensor"
    if value is None:
        return "nothing (None)"
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return {bool: "a bool", int: "an int", float: "a float", str: "a string", dict: "a dict"}.get(
        type(value), f"a {type(value).__name__}"
    )


def _compare_value(value: Any, given: Any, truth: Any, answer: Answer, probe: Probe, place: Place) -> Comparison:
    if isinstance(given, list | tuple):
        if not isinstance(value, list | tuple) or len(value) != len(given):
            return _type_difference(value, given, place)
        parts = [_compare_value(value[i], given[i], truth[i], answer, probe, (*place, i)) for i in range(len(given))]
        return _first(parts)
    if isinstance(given, dict):
        if not isinstance(value, dict) or set(value) != set(given):
            return _type_difference(value, given, place)
        return _first([_compare_value(value[k], given[k], truth[k], answer, probe, (*place, k)) for k in given])
    if isinstance(given, Tensor):
        if not isinstance(value, Tensor):
            return _type_difference(value, given, place)
        return _compare_tensor(value, given, truth, answer, probe, place)
    return _compare_plain(value, given, probe, place)


def _first(parts: list[Comparison]) -> Comparison:
    fine = max((part.fine for part in parts), default=0.0)
    return Comparison(next((part.difference for part in parts if part.difference), None), fine)


def _type_difference(value: Any, given: Any, place: Place) -> Comparison:
    what = f"{_part(place)}Your function returned {describe_type(value)}; {describe_type(given)} was expected."
    what += " Is a `return` missing?" if value is None and not place else ""
    return Comparison(Difference("type", what, place=place))


def part_name(place: Place) -> str:
    """A part of a nested result in words, counted from 1."""
    if len(place) == 1 and isinstance(place[0], int) and place[0] < len(ORDINALS):
        return f"{ORDINALS[place[0]]} part"
    return "part " + ", ".join(str(step + 1) if isinstance(step, int) else repr(step) for step in place)


def _part(place: Place) -> str:
    """A prefix that names a part of a nested result; empty for the whole result."""
    return f"The {part_name(place)} of the result: " if place else ""


def _compare_plain(value: Any, given: Any, probe: Probe, place: Place) -> Comparison:
    if isinstance(value, Tensor) and value.dim() == 0 and isinstance(given, int | float):
        value = value.item()
    if isinstance(given, float) and isinstance(value, int | float) and not isinstance(value, bool):
        rtol = 1e-12 if probe.closeness.rtol is None else probe.closeness.rtol
        gap = 0.0 if value == given or (math.isnan(value) and math.isnan(given)) else abs(value - given)
        line = rtol * max(abs(given), probe.closeness.scale)
        if gap <= line:
            return Comparison(None)
        sentence = f"{_part(place)}Your function returned {value!r}, which is not the expected number."
        return Comparison(Difference("value", sentence, gap / line if line else math.inf, place))
    if type(value) is not type(given):
        return _type_difference(value, given, place)
    if value == given:
        return Comparison(None)
    sentence = f"{_part(place)}Your function returned {value!r}, which is not the expected value."
    return Comparison(Difference("value", sentence, place=place), math.inf)


def _compare_tensor(
    value: Tensor, given: Tensor, truth: Tensor, answer: Answer, probe: Probe, place: Place
) -> Comparison:
    part = _part(place)
    if value.shape != given.shape:
        sentence = f"{part}Your result has shape {tuple(value.shape)}; {tuple(given.shape)} was expected."
        return Comparison(Difference("shape", sentence, place=place))
    both_integers = given.dtype in _INTEGERS and value.dtype in _INTEGERS
    if value.dtype != given.dtype and not both_integers:
        sentence = f"{part}Your result is {_short(value.dtype)}; {_short(given.dtype)} was expected."
        return Comparison(Difference("dtype", sentence, place=place))
    if not given.is_floating_point() or probe.closeness.exact:
        wrong = (value != given) & ~(value.isnan() & given.isnan())
        if bool(wrong.any()):
            return Comparison(
                Difference("value", f"{part}{_count(wrong)}.", math.inf, place, _first_index(wrong)), math.inf
            )
        return Comparison(None)
    return _compare_floating(value, truth, answer.lines[place], "value", part, place, None)


def _compare_floating(
    value: Tensor,
    truth: Tensor,
    line: Any,
    kind: Literal["value", "gradient"],
    part: str,
    place: Place,
    path: Path | None,
) -> Comparison:
    value, truth = value.double(), truth.double()
    gap = (value - truth).abs()
    worst = float(gap.max()) if gap.numel() else 0.0
    if not math.isfinite(worst):
        if odd := _odd_pattern(value, truth, part, place, path):
            return Comparison(odd, math.inf)
        gap = torch.where(truth.isfinite(), gap, torch.zeros_like(gap))
        worst = float(gap.max())
    fine = _ratio(worst, line.fine)
    if worst <= line.passes:
        return Comparison(None, fine)
    wrong = gap > line.passes
    sentence = f"{part}{_count(wrong)}."
    return Comparison(Difference(kind, sentence, _ratio(worst, line.passes), place, _first_index(wrong), path), fine)


def _odd_pattern(value: Tensor, truth: Tensor, part: str, place: Place, path: Path | None) -> Difference | None:
    """Infinities and NaN that stand where the answer has something else."""
    odd = (value.isnan() != truth.isnan()) | (value.isinf() != truth.isinf()) | (truth.isinf() & (value != truth))
    odd &= ~(value.isnan() & truth.isnan())
    if not bool(odd.any()):
        return None
    index = _first_index(odd)
    found, wanted = value[index].item(), truth[index].item()
    name = "NaN" if math.isnan(found) else "infinite" if math.isinf(found) else f"{found:.6g}"
    verb = "is" if odd.sum() == 1 else "are"
    there = "finite" if math.isfinite(wanted) else "NaN" if math.isnan(wanted) else f"{wanted}"
    sentence = f"{part}{_total(odd)} {verb} {name} where the answer is {there}."
    return Difference("finiteness", sentence, math.inf, place, index, path)


def _compare_gradients(outcome: Returned, answer: Answer, probe: Probe) -> Comparison:
    assert isinstance(answer.truth, Returned)
    expected, found = answer.truth.gradients or {}, outcome.gradients
    if not found:
        sentence = "Your result is cut off from the arguments: no gradient flows back through it."
        return Comparison(Difference("detached", sentence))
    fine = 0.0
    for path in probe.wrt:
        want, have = expected.get(path), found.get(path)
        part = f"The gradient of {path_name(path, probe.names)}: "
        if have is None and want is not None and bool((want != 0).any()):
            return Comparison(Difference("detached", f"{part}none; your function does not pass it on.", path=path))
        have = torch.zeros_like(want) if have is None and want is not None else have
        if have is None:
            continue
        if probe.finite_only:
            bad = ~have.isfinite()
            if bool(bad.any()):
                sentence = f"{part}{_total(bad)} {'is' if bad.sum() == 1 else 'are'} not finite."
                return Comparison(Difference("gradient", sentence, math.inf, (), _first_index(bad), path), math.inf)
            continue
        target = torch.zeros_like(have) if want is None else want
        if target.shape != have.shape:
            return Comparison(Difference("gradient", f"{part}wrong shape.", path=path))
        line = answer.gradient_lines.get(path)
        if line is None:
            continue
        result = _compare_floating(have, target, line, "gradient", part, (), path)
        fine = max(fine, result.fine)
        if result.difference:
            return Comparison(result.difference, fine)
    return Comparison(None, fine)


def _ratio(distance: float, line: float) -> float:
    return 0.0 if distance == 0 else distance / line if line > 0 else math.inf


def _first_index(mask: Tensor) -> tuple[int, ...]:
    return tuple(int(i) for i in mask.nonzero()[0]) if mask.dim() else ()


def _count(mask: Tensor) -> str:
    """How many values are wrong, as a clause."""
    return _total(mask) + (" is not the expected one" if int(mask.sum()) == 1 else " differ from the expected values")


def _total(mask: Tensor) -> str:
    bad, total = int(mask.sum()), mask.numel()
    return "The value" if total == 1 else f"All {total} values" if bad == total else f"{bad} of {total} values"


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
