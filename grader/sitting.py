"""One submission while it is graded: what its source decides, the suites, errors carried forward."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from grader.attempt import Attempt, decided
from grader.authority import reference_function
from grader.candidate import Candidate
from grader.course.model import Exercise
from grader.import_failure import import_verdict, origin
from grader.judge.check import Examination
from grader.judge.evidence import smallest
from grader.judge.source import StudentSource, parse_submission
from grader.judge.values import identical
from grader.report import NOTHING_RUN
from grader.revival import Revivals
from grader.sandbox import Limits, Raised, Returned
from grader.sandbox.level import Level
from grader.session import TestRecord
from grader.standin import stand_in
from grader.workspace import Submission

if TYPE_CHECKING:
    from grader.grading import Grader

TIMEOUTS_PER_EXERCISE = 2
"""After so many tests of one exercise ran out of time the rest are not waited for."""


class Sitting:
    """One submission while it is graded."""

    def __init__(self, grader: Grader, submission: Submission) -> None:
        self.grader = grader
        self.submission = submission
        self.sources: Mapping[str, str] = submission.sources()
        self.student: StudentSource = parse_submission(self.sources)
        self._attempts: dict[str, Attempt] = {}
        self._under_way: set[str] = set()
        self._candidates: dict[str, Candidate] = {}
        self._broken: dict[str, tuple[str, ...]] = {}
        self._revivals = Revivals(grader.restart_zygote)
        self._everything = frozenset((e.lesson, e.name) for e in grader.course.exercises)

    def close(self) -> None:
        for candidate in self._candidates.values():
            candidate.close()

    def protection(self) -> tuple[tuple[str, ...], Level | None]:
        """The layers of the workers that ran anything, and the level that they make."""
        used = [candidate.layers for candidate in self._candidates.values() if candidate.layers]
        return (used[0], self.grader.protection().level) if used else (NOTHING_RUN, None)

    def problems(self, lessons: set[str]) -> tuple[str, ...]:
        """What is wrong with the files of these lessons."""
        return tuple(
            file.problem.message for file in self.submission.files if file.slug in lessons and file.problem is not None
        )

    def prepare(self, slug: str) -> None:
        """Have the worker of the next lesson made while this one is judged."""
        if slug in self.sources and slug not in self._candidates:
            self.grader.zygote.prepare(self._limits(slug))

    def attempt(self, exercise: Exercise) -> Attempt:
        """Examine an exercise once; a failure again, on top of the reference's versions of what it rests on."""
        if exercise.id not in self._attempts:
            self._under_way.add(exercise.id)
            from_source = self._decide(exercise)
            attempt = from_source or self._examine(exercise, self._candidate(exercise.lesson))
            self._attempts[exercise.id] = attempt
            if from_source is None and not attempt.fine and attempt.status != "grader_fault":
                attempt = self._carry_forward(exercise, attempt)
            called = self.submission.called
            self._attempts[exercise.id] = replace(
                attempt, message=called(attempt.message), notes=tuple(called(note) for note in attempt.notes)
            )
            self._under_way.discard(exercise.id)
        return self._attempts[exercise.id]

    def _decide(self, exercise: Exercise) -> Attempt | None:
        """What the source text alone decides."""
        tests = self.grader.suites.tests(exercise.id)
        file = self.submission.file(exercise.lesson)
        if file.problem is not None:
            return decided(exercise, tests, "error", file.problem.message)
        others = [other.name for other in self.grader.course.lesson(exercise.lesson).exercises if other != exercise]
        definition = self.student.definition(exercise.lesson, exercise.name, others)
        if definition.problem:
            return decided(exercise, tests, "error", definition.problem)
        if definition.is_stub:
            return decided(exercise, tests, "not_started", "Not written yet.")
        required, optional = _parameters(self.grader.authority.function(exercise))
        if problem := self.student.signature_problem(exercise.lesson, exercise.name, required, optional):
            return decided(exercise, tests, "error", problem)
        findings = self.student.forbidden_use(
            exercise.lesson, exercise.name, exercise.forbidden, self._judged_alone(exercise)
        )
        if findings:
            return decided(exercise, tests, "forbidden", findings[0].sentence)
        return None

    def _judged_alone(self, exercise: Exercise) -> frozenset[tuple[str, str]]:
        """Earlier exercises that must do without the same built-ins themselves; all others are followed like helpers,
        lest a built-in come in through a function where it is allowed."""
        course = self.grader.course
        earlier = course.exercises[: course.position(exercise)]
        refused = set(exercise.forbidden)
        return frozenset((e.lesson, e.name) for e in earlier if refused & set(e.forbidden))

    def _candidate(self, lesson: str) -> Candidate:
        self.grader.protection()
        if lesson not in self._candidates:
            limits = self._limits(lesson)
            self._candidates[lesson] = Candidate(self.grader.zygote, self.sources, lesson, limits)
        return self._candidates[lesson]

    def _limits(self, lesson: str) -> Limits:
        given = self.grader.course.lesson(lesson).limits
        return Limits(seconds=given.seconds, memory_mb=given.memory_mb, output_kb=given.output_kb)

    def _examine(self, exercise: Exercise, candidate: Candidate) -> Attempt:
        grader = self.grader
        tests = grader.suites.tests(exercise.id)
        candidate.output = ""
        failure = self._revivals.repeated(candidate.import_failure)
        if failure is not None:
            return decided(exercise, tests, *import_verdict(exercise, failure))
        ask = partial(candidate.ask, exercise.name)
        examination = grader.authority.examination(exercise, ask, grader.answers(exercise), grader.helper)
        records: list[TestRecord] = []
        for test in tests:
            if sum(record.status == "timeout" for record in records) >= TIMEOUTS_PER_EXERCISE:
                sentence = "Not run: other tests of this exercise have already run out of time."
                records.append(TestRecord(test, "timeout", sentence, 0.0))
                continue
            records.append(self._revivals.run(grader.suites, test, examination, candidate, grader.options.seed))
            if records[0].status == "not_started":
                return decided(exercise, tests, "not_started", "It still raises NotImplementedError.")
        if self._revivals.repeated(lambda: _wavers(examination, exercise, candidate)):
            return Attempt(exercise, tests, records, examination.observations, output=candidate.output, wavers=True)
        notes = tuple(self.student.other_defaults(exercise.lesson, exercise.name, _defaults(examination.reference)))
        if all(record.status == "passed" for record in records):
            notes = ()
        return Attempt(exercise, tests, records, examination.observations, notes=notes, output=candidate.output)

    def _carry_forward(self, exercise: Exercise, alone: Attempt) -> Attempt:
        """Examine again with the reference's functions in place of those that it rests on and that are wrong."""
        reached = self.student.all_dependencies(exercise.lesson, exercise.name, self._everything)
        course = self.grader.course
        if self.grader.authority.public:
            return self._resting(alone, [e for e in course.exercises if (e.lesson, e.name) in reached])
        faulty = [
            other
            for other in course.exercises
            if (other.lesson, other.name) in reached and other.id != exercise.id and self._may_be_lent(other, exercise)
        ]
        broken = self._broken_below(exercise.lesson)
        if not faulty and not broken:
            return alone
        unusable = {*broken} | {
            other.lesson for other in faulty if other.lesson != exercise.lesson and self._cannot_run(other.lesson)
        }
        lent = [*faulty, *(other for slug in unusable for other in self.grader.course.lesson(slug).exercises)]
        replacements: dict[str, dict[str, Callable[..., Any]]] = {}
        for other in lent:
            replacements.setdefault(other.lesson, {})[other.name] = stand_in(reference_function(other))
        limits = self._limits(exercise.lesson)
        lender = Candidate(
            self.grader.zygote, self.sources, exercise.lesson, limits, replacements, tuple(sorted(unusable))
        )
        with lender as candidate:
            again = self._examine(exercise, candidate)
        # Of a module that was not handed in nothing is known to be wrong.
        below = dict.fromkeys([*broken, *(other.lesson for other in faulty)])
        absent = [slug for slug in below if self._is_absent(slug)]
        blamed = [other for other in faulty if other.lesson not in absent]
        unfit = [slug for slug in broken if slug not in absent]
        if again.status == "passed":
            if not blamed and not unfit:
                return replace(again, verdict="inherited", message=f"This function is right. ({_borrowed(absent)})")
            inherits = next(other.id for other in lent if other.lesson not in absent)
            return replace(again, inherits=inherits, message=f"This function is right; {self._lack(blamed, unfit)}.")
        if sum(again.earned) < sum(alone.earned) or again.verdict is not None:
            return alone
        names = ", ".join(f"`{other.id}`" for other in blamed) or ", ".join(f"student/{slug}.py" for slug in unfit)
        says = f"Judged with a correct {names} in place of yours." if names else _borrowed(absent)
        return replace(again, notes=(*again.notes, says))

    def _resting(self, alone: Attempt, below: Sequence[Exercise]) -> Attempt:
        """The attempt as it is, with a note on what it rests on: without a reference nothing right can be lent."""
        wrong = [other for other in below if other != alone.exercise and not self._is_fine(other)]
        if not wrong:
            return alone
        names = ", ".join(f"`{other.id}`" for other in wrong)
        says = f"It rests on {names}, which {'is' if len(wrong) == 1 else 'are'} not right yet: begin there."
        if alone.verdict == "not_started":  # it is written; what it calls is not
            return replace(alone, verdict="error", message=says)
        return replace(alone, notes=(*alone.notes, says))

    def _may_be_lent(self, other: Exercise, exercise: Exercise) -> bool:
        """Whether a function below `exercise` is wrong, and the reference's may take its place.

        Of later ones only those of the same lesson that were tried in earnest: a single line on top of one that was
        lent would earn what it was to be the step towards.
        """
        if self._is_fine(other):
            return False
        course = self.grader.course
        if course.position(other) < course.position(exercise):
            return True
        tried = self._attempts.get(other.id)
        return other.lesson == exercise.lesson and (tried is None or tried.status in ("failed", "partial"))

    def _lack(self, faulty: Sequence[Exercise], broken: Sequence[str]) -> str:
        """What a right function lacks below it."""
        names = ", ".join(f"`{other.id}`" for other in faulty)
        if broken:
            return f"its file imports {' and '.join(f'student/{slug}.py' for slug in broken)}, which cannot be run"
        if all(self.attempt(other).status == "not_started" for other in faulty):
            return f"it rests on {names}, not written yet"
        return f"it inherits the fault of {names}"

    def _broken_below(self, lesson: str) -> tuple[str, ...]:
        """Other modules of the learner's that keep this one from being imported."""
        if lesson not in self._broken:
            failure, broken = self._revivals.repeated(self._candidate(lesson).import_failure), list[str]()
            slugs = [known.slug for known in self.grader.course.lessons]
            earlier = slugs[: slugs.index(lesson)]
            while (slug := origin(failure)) is not None and slug not in broken:
                if slug not in earlier:  # where it failed is what the worker says
                    break
                broken.append(slug)
                lent = {
                    each: {e.name: stand_in(reference_function(e)) for e in self.grader.course.lesson(each).exercises}
                    for each in broken
                }
                zygote, limits = self.grader.zygote, self._limits(lesson)
                with Candidate(zygote, self.sources, lesson, limits, lent, tuple(broken)) as without:
                    failure = self._revivals.repeated(without.import_failure)
            self._broken[lesson] = tuple(broken)
        return self._broken[lesson]

    def _is_fine(self, other: Exercise) -> bool:
        """Whether a function that something rests on is right. In a circle of functions that call each other the one
        still under way counts as wrong, so that it is replaced."""
        if other.id in self._under_way and other.id not in self._attempts:
            return False
        return self.attempt(other).fine

    def _is_absent(self, slug: str) -> bool:
        problem = self.submission.file(slug).problem
        return problem is not None and problem.kind == "missing"

    def _cannot_run(self, slug: str) -> bool:
        return slug not in self.sources or self._revivals.repeated(self._candidate(slug).import_failure) is not None


def _borrowed(absent: Sequence[str]) -> str:
    """What was lent in place of modules that were not handed in."""
    files, one = " and ".join(f"student/{slug}.py" for slug in absent), len(absent) == 1
    return (
        f"{files}, which its file imports, {'was' if one else 'were'} not handed in; "
        "it was judged with the course's own."
    )


def _parameters(function: Callable[..., Any]) -> tuple[list[str], list[str]]:
    parameters = inspect.signature(function).parameters.values()
    required = [p.name for p in parameters if p.default is inspect.Parameter.empty]
    return required, [p.name for p in parameters if p.default is not inspect.Parameter.empty]


def _wavers(examination: Examination, exercise: Exercise, candidate: Candidate) -> bool:
    """Whether the function answers a question that it failed differently when it is asked again."""
    shown = smallest(examination.observations)
    if shown is None or not isinstance(shown.outcome, Returned | Raised):
        return False
    again = candidate.ask(exercise.name, shown.probe, shown.answer)
    if isinstance(again, Returned) and isinstance(shown.outcome, Returned):
        return not identical(again.value, shown.outcome.value)
    return isinstance(again, Returned)


def _defaults(function: Callable[..., Any]) -> dict[str, object]:
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}
