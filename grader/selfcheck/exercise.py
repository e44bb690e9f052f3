"""Proving the suite of one exercise with functions whose verdict is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from grader.attempt import Attempt
from grader.course.model import Exercise
from grader.judge.agreement import alternative
from grader.judge.answer import Answer
from grader.judge.check import Examination
from grader.judge.diagnosis import Diagnosis, diagnose
from grader.judge.misconception import Flawed, Misconception
from grader.judge.probe import Probe, run_here
from grader.judge.tolerance import NOTICEABLE
from grader.judge.variation import Variation
from grader.sandbox.reply import Outcome, Returned
from grader.session import Suites

FINE_LINES = 100.0
"""A mistake's distance in float64 lines, beside NOTICEABLE pass lines."""


@dataclass(frozen=True)
class Problem:
    """Something that the course promises and that is not so."""

    exercise: str
    seed: int
    says: str


@dataclass
class Proof:
    """What was proved of one exercise, over all seeds."""

    exercise: str
    tests: int = 0
    misconceptions: int = 0
    variations: int = 0


def prove(
    exercise: Exercise,
    suites: Suites,
    reference: Callable[..., Any],
    flawed: Flawed | None,
    variations: Sequence[Variation],
    seed: int,
) -> Iterator[Problem]:
    """Every broken promise of one exercise with one seed."""
    bench = _Bench(exercise, suites, reference, seed)
    if not suites.tests(exercise.id):
        yield bench.problem("it has no tests")
        return
    yield from bench.layout()
    yield from bench.must_pass("the reference", reference)
    for name, trivial in TRIVIAL.items():
        yield from bench.must_earn_nothing(name, trivial)
    for variation in variations:
        yield from bench.must_pass(f"the variation {variation.name}", variation.function)
    if flawed is None:
        yield bench.problem("it has no misconceptions")
        return
    yield from bench.must_pass("the misconceptions' function with no switch set", flawed.variant(()))
    for misconception in flawed.misconceptions:
        yield from bench.must_be_named(flawed, misconception)


def prove_public(exercise: Exercise, suites: Suites, reference: Callable[..., Any], seed: int) -> Iterator[Problem]:
    """Every broken promise of the public tests of one exercise: they begin with values, the reference passes, and what
    computes nothing earns nothing."""
    bench = _Bench(exercise, suites, reference, seed)
    if not suites.tests(exercise.id):
        yield bench.problem("it has no public tests")
        return
    yield from bench.layout()
    yield from bench.must_pass("the reference", reference)
    for name, trivial in TRIVIAL.items():
        yield from bench.must_earn_nothing(name, trivial)


def _raises(*_: Any, **__: Any) -> Any:
    raise ValueError("always")


Asked = Callable[[Probe, Answer], Outcome]


def _filled(value: float) -> Asked:
    """A constant that even has the right shape, dtype and nesting."""

    def ask(probe: Probe, answer: Answer) -> Outcome:
        given = answer.given
        constant = _filled_like(given.value, value) if isinstance(given, Returned) else None
        return Returned(constant, gradients={} if probe.wrt else None)

    return ask


def _filled_like(given: Any, value: float) -> Any:
    """The same nesting with every tensor and every plain number replaced."""
    if isinstance(given, Tensor):
        return torch.full_like(given, value)
    if isinstance(given, list | tuple):
        return [_filled_like(item, value) for item in given]
    if isinstance(given, dict):
        return {key: _filled_like(item, value) for key, item in given.items()}
    return type(given)(value) if isinstance(given, bool | int | float) else given


def _here(function: Callable[..., Any]) -> Asked:
    return lambda probe, answer: run_here(function, probe, answer.cotangent)


def _identity(first: Tensor, *_: Any, **__: Any) -> Tensor:
    return first


TRIVIAL: dict[str, Asked] = {
    "an identity": _here(_identity),
    "a constant": _here(lambda *_, **__: torch.tensor(0.0)),
    "zeros of the right shape": _filled(0.0),
    "ones of the right shape": _filled(1.0),
    "a function that always raises": _here(_raises),
}


class _Bench:
    """One exercise, one seed; the reference's answers are computed once and shared by all that sit the suite."""

    def __init__(self, exercise: Exercise, suites: Suites, reference: Callable[..., Any], seed: int) -> None:
        self.exercise = exercise
        self.suites = suites
        self.reference = reference
        self.seed = seed
        self.answers: dict[str, list[tuple[Probe, Answer]]] = {}

    def problem(self, says: str) -> Problem:
        return Problem(self.exercise.id, self.seed, says)

    def sit(self, ask: Asked) -> Attempt:
        examination = Examination(self.reference, ask, self.answers)
        tests = self.suites.tests(self.exercise.id)
        records = [self.suites.run(test, examination, self.seed) for test in tests]
        return Attempt(self.exercise, tests, records, examination.observations)

    def layout(self) -> Iterator[Problem]:
        tests = self.suites.tests(self.exercise.id)
        if tests[0].kind != "value":
            yield self.problem(f"its first test, {tests[0].name}, is no value test")
        shares = Attempt(self.exercise, tests).shares
        if 0 in shares:
            yield self.problem(
                f"{self.exercise.points} points are too few for {len(tests)} tests: some would be worth 0"
            )

    def must_pass(self, who: str, function: Callable[..., Any]) -> Iterator[Problem]:
        attempt = self.sit(_here(function))
        for record in attempt.records:
            if record.status != "passed":
                yield self.problem(f"{who} does not pass {record.test.name}: {record.status}: {record.sentence}")

    def must_earn_nothing(self, who: str, ask: Asked) -> Iterator[Problem]:
        attempt = self.sit(ask)
        if earned := sum(attempt.earned):
            names = [r.test.name for r, points in zip(attempt.records, attempt.earned, strict=True) if points]
            yield self.problem(f"{who} earns {earned} points in {', '.join(names)}")

    def must_be_named(self, flawed: Flawed, misconception: Misconception) -> Iterator[Problem]:
        attempt = self.sit(partial(_asked, flawed, misconception))
        yield from self._must_fail(misconception, attempt)
        diagnosis = diagnose(flawed, attempt.observations)
        if not _names(diagnosis, misconception):
            found = diagnosis.id if diagnosis else "nothing"
            if diagnosis and diagnosis.either:
                found = " or ".join(m.id for m in diagnosis.misconceptions)
            yield self.problem(f"{misconception.name} is named as {found}")

    def _must_fail(self, misconception: Misconception, attempt: Attempt) -> Iterator[Problem]:
        failed = [record.test.name for record in attempt.records if record.status != "passed"]
        if not failed:
            yield self.problem(f"{misconception.name} passes every test")
        elif misconception.fails is not None:
            wanted = misconception.fails.removeprefix("test_")
            if not any(name.partition("[")[0] == wanted for name in failed):
                yield self.problem(f"{misconception.name} should fail {wanted}, but fails only {', '.join(failed)}")
        elif not any(_far(observation.comparison) for observation in attempt.observations):
            yield self.problem(f"{misconception.name} fails, but nowhere by {NOTICEABLE:g} pass lines")


def _asked(flawed: Flawed, misconception: Misconception, probe: Probe, answer: Answer) -> Outcome:
    return alternative(flawed, frozenset({misconception.name}), probe, answer).outcome


def _far(comparison: Any) -> bool:
    difference = comparison.difference
    return difference is not None and difference.ratio >= NOTICEABLE and comparison.fine >= FINE_LINES


def _names(diagnosis: Diagnosis | None, misconception: Misconception) -> bool:
    """Named alone, or together with those that nothing tells apart from it."""
    if diagnosis is None or diagnosis.rest:
        return False
    names = {m.name for m in diagnosis.misconceptions}
    if diagnosis.either:
        return misconception.name in names and names <= {misconception.name, *misconception.same_as}
    return names == {misconception.name}
