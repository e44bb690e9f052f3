"""What the learner's own function gives where a question asks for a number of the reference: three verdicts.

The function runs in the sandbox and nowhere else. That it cannot be asked is no event: it costs nothing and is told in
one sentence.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from grader.authority import authority
from grader.candidate import Candidate
from grader.course.model import Course, Exercise
from grader.judge.probe import Probe
from grader.render.harmless import harmless_text
from grader.review.questions.kinds.numeral import Unreadable, infinite, read_number
from grader.review.questions.kinds.numeric import accepts, tolerance, written
from grader.review.questions.model import Call, Drawn
from grader.review.questions.oracle import argument
from grader.run.functions import ending
from grader.sandbox import ForkFailed, Limits, NoTorch, Returned, WorkerFailed, Zygote, ZygoteDied

LONGEST = 200
"""Characters of a message of the learner's own code."""
NO_SANDBOX = (ForkFailed, NoTorch, WorkerFailed, ZygoteDied, OSError)
"""What goes wrong when there is no sandbox to be had."""

Agreement = Literal["both", "reference", "own", "neither", "unknown"]


@dataclass(frozen=True, slots=True)
class Own:
    """What the learner's function gave. value: None where it gave no number; says: why, in a sentence."""

    exercise: str
    value: float | None = None
    says: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """With what an answer agrees: the reference, the learner's own code, both of them or neither; `unknown` where the
    code gave no number or the answer is none. says: a sentence for the learner, "" where there is nothing to say."""

    agrees: Agreement
    says: str


def own_value(drawn: Drawn, exercise: Exercise, course: Course, zygote: Zygote, sources: Mapping[str, str]) -> Own:
    """Ask the learner's function what the question asks the reference. Never raises for what the code does."""
    if exercise.lesson not in sources:
        return Own(exercise.id, says=f"Your {exercise.lesson}.py cannot be run, so your own function was not asked.")
    call = drawn.question.answer
    assert isinstance(call, Call)
    given = course.lesson(exercise.lesson).limits
    limits = Limits(seconds=given.seconds, memory_mb=given.memory_mb, output_kb=given.output_kb)
    try:
        with Candidate(zygote, sources, exercise.lesson, limits) as candidate:
            outcome = candidate.ask(exercise.name, _probe(call, exercise, drawn.params), None)
    except NO_SANDBOX as error:
        return Own(exercise.id, says=f"Your own function could not be asked: {_short(str(error))}")
    if not isinstance(outcome, Returned):
        return Own(exercise.id, says=f"Your own `{exercise.name}` {_short(ending(outcome)).rstrip('.')}.")
    number = _number(outcome.value, tuple(argument(step, drawn.params, call.place) for step in call.at))
    if number is None:
        return Own(exercise.id, says=f"Your own `{exercise.name}` returned something else than what was asked for.")
    return Own(exercise.id, number)


def verdict(drawn: Drawn, given: str, reference: float, own: Own) -> Verdict:
    """With what a typed number agrees, within the question's tolerance."""
    if own.value is None:
        return Verdict("unknown", own.says)
    name, near = own.exercise.rpartition(".")[2], tolerance(drawn)
    typed = _read(given)
    if typed is None or math.isnan(own.value):
        return Verdict("unknown", f"Your own `{name}` gives {written_own(own.value, drawn)}.")
    with_reference, with_own = accepts(near, typed, reference), accepts(near, typed, own.value)
    shown, right = written_own(own.value, drawn), written(reference, near)
    if with_reference and with_own:
        return Verdict("both", f"Your own `{name}` gives {shown}, too.")
    if with_reference:
        again = f"`anatomy grade {own.exercise}` says more"
        return Verdict("reference", f"Your answer is the right one, but your own `{name}` gives {shown}: {again}.")
    if with_own:
        says = f"You have read your code well: your own `{name}` gives {shown}. The right one gives {right}."
        return Verdict("own", says)
    if accepts(near, own.value, reference):
        return Verdict("neither", f"Your own `{name}` gives the right one, {right}.")
    return Verdict("neither", f"It is neither: your own `{name}` gives {shown}, and the right one {right}.")


def written_own(value: float, drawn: Drawn) -> str:
    """A number of the learner's code, as the right one is written."""
    return "NaN" if math.isnan(value) else written(value, tolerance(drawn))


def _read(given: str) -> Fraction | float | None:
    typed = infinite(given)
    if typed is not None:
        return typed
    try:
        return read_number(given)
    except Unreadable:
        return None


def _probe(call: Call, exercise: Exercise, params: Mapping[str, Any]) -> Probe:
    """Required arguments by position and optional ones by keyword: a learner may call the former otherwise."""
    given = {name: argument(value, params, call.place) for name, value in call.args.items()}
    parameters = inspect.signature(authority().function(exercise)).parameters.values()
    required = [each.name for each in parameters if each.default is each.empty]
    args = tuple(given.pop(name) for name in required if name in given)
    return Probe(args, given)


def _number(value: Any, at: tuple[Any, ...]) -> float | None:
    """The part of a result that is asked for, if it is one number."""
    import torch

    try:
        for step in at:
            value = value[step]
    except (IndexError, KeyError, TypeError):
        return None
    if isinstance(value, torch.Tensor):
        value = value.item() if value.numel() == 1 and not value.is_complex() else None
    return value + 0 if isinstance(value, bool | int | float) else None


def _short(text: str) -> str:
    """One harmless line of what learners' code said."""
    line = " ".join(harmless_text(text).split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}..."
