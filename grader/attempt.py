"""One exercise of one submission: which tests it passed, what was observed, and the result that follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from grader.course.model import Exercise
from grader.judge.check import computed_in_float32
from grader.judge.diagnosis import diagnose
from grader.judge.evidence import evidence, smallest, telling
from grader.judge.misconception import Flawed
from grader.judge.observation import Observation
from grader.judge.patterns import pattern
from grader.report import ExerciseResult, Status, TestResult, share
from grader.session import SuiteTest, TestRecord

OUTPUT_SHOWN = 2000
"""Characters of what a function printed that a result keeps."""
FLOAT32_NOTE = (
    "Right to float32 precision, not to float64: accepted. A conversion to float32 on the way, or a tiny constant, "
    "does this."
)
WAVERS = "general.changing-answers"
WAVERS_SAYS = (
    "Asked the same thing twice, your function answers differently: is something random (dropout) left on, or does it "
    "remember earlier calls?"
)


@dataclass(frozen=True)
class Attempt:
    """What the suite saw. verdict: a status decided before any test ran (a stub, a forbidden built-in, no file), or
    `inherited` where it rests on what was not handed in, so that nobody is at fault;
    wavers: asked the same thing twice, the function answered differently."""

    exercise: Exercise
    tests: Sequence[SuiteTest]
    records: Sequence[TestRecord] = ()
    observations: Sequence[Observation] = ()
    verdict: Status | None = None
    message: str = ""
    notes: tuple[str, ...] = ()
    output: str = ""
    inherits: str | None = None
    wavers: bool = False

    @property
    def shares(self) -> list[int]:
        """The points of each test."""
        return share(self.exercise.points, [test.weight for test in self.tests])

    @property
    def earned(self) -> list[int]:
        """Points earned by each test: value tests on their own, the rest once the first value test has passed."""
        if self.verdict == "grader_fault" or not self.records:
            return [0] * len(self.tests)
        opened = self.records[0].status == "passed"
        return [
            points if record.status == "passed" and (opened or record.test.kind == "value") else 0
            for record, points in zip(self.records, self.shares, strict=True)
        ]

    @property
    def status(self) -> Status:
        """The outcome of the exercise."""
        if self.verdict is not None:
            return self.verdict
        statuses = [record.status for record in self.records]
        if "grader_fault" in statuses:
            return "grader_fault"
        if all(status == "passed" for status in statuses):
            return "inherited" if self.inherits else "passed"
        if any(self.earned):
            return "partial"
        return next(status for status in statuses if status != "passed")

    @property
    def fine(self) -> bool:
        """Whether it counts as passed."""
        return self.status in ("passed", "inherited")


def settle(attempt: Attempt, catalogue: Callable[[Exercise], Flawed | None], *, hide_expected: bool) -> ExerciseResult:
    """The result of an attempt, with the mistake named where the numbers name it.

    catalogue: the known mistakes of an exercise; asked for only when there is something to name.
    """
    status, exercise = attempt.status, attempt.exercise
    result = ExerciseResult(
        id=exercise.id,
        status=status,
        earned=sum(attempt.earned),
        possible=exercise.points,
        message=attempt.message,
        tests=tuple(_test_results(attempt)),
        section=_section(exercise, exercise.section),
        inherits=attempt.inherits,
        notes=attempt.notes,
        output=attempt.output[-OUTPUT_SHOWN:],
    )
    if status == "passed" and computed_in_float32(list(attempt.observations)):
        return replace(result, notes=(*result.notes, FLOAT32_NOTE))
    if attempt.verdict is not None or status in ("passed", "inherited"):
        return result
    if status == "grader_fault":
        fault = next(record for record in attempt.records if record.status == "grader_fault")
        return replace(result, message=f"The grader failed in its own test {fault.test.name!r}:\n{fault.sentence}")
    return _explained(result, attempt, catalogue(exercise), hide_expected)


def _explained(
    result: ExerciseResult,
    attempt: Attempt,
    flawed: Flawed | None,
    hide_expected: bool,
) -> ExerciseResult:
    first = next(record for record in attempt.records if record.status != "passed")
    if attempt.wavers:  # its numbers prove nothing, then
        text = evidence(first.observation, hide_expected=hide_expected) if first.observation else ""
        return replace(result, misconception=WAVERS, message=f"{WAVERS_SAYS}\n{first.test.description}", evidence=text)
    diagnosis = diagnose(flawed, attempt.observations) if flawed else None
    told = telling(attempt.observations, flawed, diagnosis) if flawed and diagnosis else None
    shown = told or first.observation or smallest(attempt.observations)
    text = evidence(shown, hide_expected=hide_expected) if shown else ""
    if diagnosis is None:
        general = pattern(attempt.observations)
        said = general.says if general else _full_stop(first.sentence)
        name = general.id if general else None
        return replace(result, misconception=name, message=f"{said}\n{first.test.description}", evidence=text)
    section = _section(attempt.exercise, diagnosis.misconceptions[0].section)
    return replace(result, misconception=diagnosis.id, message=diagnosis.sentence, section=section, evidence=text)


def _full_stop(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


def _section(exercise: Exercise, anchor: str) -> str:
    return f"lessons/{exercise.lesson}/lesson.md#{anchor}"


def _test_results(attempt: Attempt) -> list[TestResult]:
    if attempt.status == "not_started":
        return []
    records = {record.test.name: record for record in attempt.records}
    results = []
    for test, points, earned in zip(attempt.tests, attempt.shares, attempt.earned, strict=True):
        record = records.get(test.name)
        status = record.status if record else attempt.status
        message = record.sentence if record else attempt.message
        if record and record.status == "passed" and points and not earned:
            message = "Right, but it pays only once the first value test passes."
        seconds = round(record.seconds, 6) if record else 0.0
        results.append(TestResult(test.name, status, earned, points, message, seconds))
    return results


def decided(exercise: Exercise, tests: Sequence[SuiteTest], verdict: Status, message: str) -> Attempt:
    """An attempt whose outcome is known without running anything."""
    return Attempt(exercise, tests, verdict=verdict, message=message)
