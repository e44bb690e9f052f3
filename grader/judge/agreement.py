"""Whether a learner's outcome is that of a misconception."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from grader.judge.answer import Answer
from grader.judge.comparison import Difference, compare
from grader.judge.misconception import Flawed
from grader.judge.observation import Observation
from grader.judge.probe import Probe, run_here
from grader.judge.tolerance import FLOOR, Line, unit_roundoff
from grader.judge.values import leaves
from grader.sandbox.reply import Outcome, Raised, Returned

BORDERLINE = 4.0
"""Near the pass line of a low-precision test two computations of one mistake may fall on either side."""

LOOSELY = 100.0
"""The distance of two outcomes that fail a test of range, one with wrong numbers, the other with infinities."""


@dataclass(frozen=True)
class Alternative:
    """What a misconception answers to a probe."""

    outcome: Outcome
    probe: Probe
    answer: Answer

    @cached_property
    def difference(self) -> Difference | None:
        """How that differs from the right answer. Most candidates drop out before anybody asks."""
        return compare(self.outcome, self.answer, self.probe).difference

    @property
    def departs(self) -> bool:
        """Whether it is not the right answer."""
        return self.difference is not None or bool(disturbs(self.outcome, self.probe))


def alternative(flawed: Flawed, names: frozenset[str], probe: Probe, answer: Answer) -> Alternative:
    """The answer of these mistakes made together; asked once and kept with the right answer."""
    if names not in answer.asked:
        answer.asked[names] = Alternative(run_here(flawed.variant(names), probe, answer.cotangent), probe, answer)
    found: Alternative = answer.asked[names]
    return found


def agree(observation: Observation, other: Alternative) -> float | None:
    """How far the learner's outcome is from the misconception's, in float64 lines; None if they do not agree.

    In 32 and 16 bits two computations of the same mistake differ in rounding and in what overflows first, so there only
    the kind of failure counts.
    """
    mine, theirs, probe = observation.outcome, other.outcome, observation.probe
    if disturbs(mine, probe) != disturbs(theirs, probe):
        return None
    if isinstance(mine, Raised) or isinstance(theirs, Raised):
        alike = isinstance(mine, Raised) and isinstance(theirs, Raised) and mine.type_name == theirs.type_name
        return 0.0 if alike else None
    if not (isinstance(mine, Returned) and isinstance(theirs, Returned)):
        return None
    if probe.finite_only or not precise(probe):
        return _kinds_apart(observation.comparison.difference, other.difference)
    apart = _apart(mine.value, theirs.value, observation.answer.lines)
    if apart is not None and probe.wrt:
        gradients = _apart(
            _by_path(mine.gradients), _by_path(theirs.gradients), observation.answer.gradient_lines, by_path=True
        )
        apart = None if gradients is None else max(apart, gradients)
    return _overflow(observation.comparison.difference, other.difference) if apart is None else apart


def precise(probe: Probe) -> bool:
    """Whether numbers tell mistakes apart here; in 32 and 16 bits rounding and range have their say too."""
    return probe.dtype in (None, torch.float64)


def only_kind(observation: Observation, other: Alternative) -> bool:
    """Whether all that speaks for a mistake is that its numbers are wrong too, which any other mistake's are."""
    kind = other.difference.kind if other.difference else None
    mine = observation.comparison.difference.kind if observation.comparison.difference else None
    loose = observation.probe.finite_only or not precise(observation.probe) or kind != mine
    return loose and kind in ("value", "finiteness", "gradient")


def disturbs(outcome: Outcome, probe: Probe) -> tuple[str, ...]:
    """What a call changed that it should leave alone: its arguments and, where that is asked, what all share.

    Where gradients are taken, autograd itself refuses to change arguments.
    """
    if not isinstance(outcome, Returned):
        return ()
    arguments = ("arguments",) if outcome.changed_inputs and not probe.wrt else ()
    return arguments + (outcome.effects if probe.traceless else ())


def fragile(observation: Observation, other: Alternative) -> bool:
    """Whether a disagreement here may be a matter of coding: an exception, a NaN, or the rounding of 32 and 16 bits."""
    kinds = {d.kind for d in (observation.comparison.difference, other.difference) if d is not None}
    return observation.probe.finite_only or not precise(observation.probe) or bool(kinds & {"raised", "finiteness"})


def _overflow(a: Difference | None, b: Difference | None) -> float | None:
    """Loose agreement where numbers left the range: one computation is infinite there, the other merely wrong."""
    kinds = {a.kind, b.kind} if a and b else set()
    return LOOSELY if "finiteness" in kinds and kinds <= {"value", "finiteness"} else None


def _kinds_apart(a: Difference | None, b: Difference | None) -> float | None:
    if a is None or b is None:
        other = a or b
        near = other is not None and other.kind == "value" and other.ratio < BORDERLINE
        return 0.0 if other is None else LOOSELY if near else None
    if a.kind == b.kind:
        return 0.0
    return LOOSELY if {a.kind, b.kind} <= {"value", "finiteness", "gradient"} else None


def _by_path(gradients: Mapping[Any, Tensor | None] | None) -> dict[Any, Tensor]:
    return {path: g for path, g in (gradients or {}).items() if g is not None}


def _apart(mine: Any, theirs: Any, lines: Mapping[Any, Line], by_path: bool = False) -> float | None:
    """The largest distance between two nested values in float64 lines, None if anything lies beyond a pass line."""
    a, b = (mine, theirs) if by_path else (dict(leaves(mine)), dict(leaves(theirs)))
    if a.keys() != b.keys():
        return None
    fine = 0.0
    for place, value in a.items():
        distance = _leaf_distance(value, b[place], lines.get(place))
        if distance is None:
            return None
        fine = max(fine, distance)
    return fine


def _leaf_distance(mine: Any, theirs: Any, right: Line | None) -> float | None:
    if not (isinstance(mine, Tensor) and isinstance(theirs, Tensor)):
        if isinstance(mine, float) and isinstance(theirs, float):
            same = mine == theirs or math.isclose(mine, theirs, rel_tol=1e-12) or (mine != mine and theirs != theirs)
        else:
            same = type(mine) is type(theirs) and bool(mine == theirs)
        return 0.0 if same else None
    if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
        return None
    if not mine.is_floating_point() or not mine.numel():
        return 0.0 if torch.equal(mine, theirs) else None
    gap = (mine.double() - theirs.double()).abs()
    worst = float(gap.max())
    if not math.isfinite(worst):
        odd = ~mine.isfinite() | ~theirs.isfinite()
        if not torch.equal(mine[odd].nan_to_num(nan=0.5), theirs[odd].nan_to_num(nan=0.5)):
            return None
        rest = gap[~odd]
        worst = float(rest.max()) if rest.numel() else 0.0
    return _in_lines(worst, theirs, right)


def _in_lines(distance: float, theirs: Tensor, right: Line | None) -> float | None:
    """A distance in float64 lines; None beyond the pass line of the right answer and that of the mistake's own size."""
    finite = theirs[theirs.isfinite()]
    scale = float(finite.abs().max()) if finite.numel() else 0.0
    passes = FLOOR * unit_roundoff(torch.float32) * scale
    if distance > max(passes, right.passes if right else 0.0):
        return None
    fine = max(FLOOR * unit_roundoff(torch.float64) * scale, right.fine if right else 0.0)
    return distance / fine if fine > 0 else 0.0
