"""Calling the course's functions by exercise: the reference's in this process, a learner's in workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any, Protocol

from grader.candidate import Candidate
from grader.course.model import Course, Exercise
from grader.grading import reference_function
from grader.judge.probe import Probe
from grader.sandbox import Died, Limits, NotAValue, Outcome, Raised, Returned, Zygote

Replacements = Mapping[str, Mapping[str, Callable[..., Any]]]


class Functions(Protocol):
    """Whoever can call an exercise by its id."""

    def call(self, exercise: str, *args: Any, **kwargs: Any) -> Any:
        """What the function returns."""


class Unanswered(Exception):
    """A learner's function that did not return, and how it ended."""

    def __init__(self, exercise: str, outcome: Outcome) -> None:
        super().__init__(f"{exercise} {ending(outcome)}")
        self.exercise = exercise
        self.outcome = outcome


def ending(outcome: Outcome) -> str:
    """How a call ended, in words that follow the function's name."""
    match outcome:
        case Raised(is_not_implemented=True):
            return "is not written yet"
        case Raised():
            return f"raised {outcome.type_name}: {outcome.message}".removesuffix(": ")
        case Died():
            return f"did not answer. {outcome.detail}"
        case NotAValue():
            return f"returned {outcome.description}"
        case Returned():
            return "returned"


class Reference:
    """The course's own functions."""

    def __init__(self, course: Course) -> None:
        self._exercises = {exercise.id: exercise for exercise in course.exercises}

    def call(self, exercise: str, *args: Any, **kwargs: Any) -> Any:
        """What the reference returns."""
        return reference_function(self._exercises[exercise])(*args, **kwargs)


class Learner:
    """A learner's functions, each lesson's in a worker of its own. Use as a context manager."""

    def __init__(self, course: Course, zygote: Zygote, sources: Mapping[str, str]) -> None:
        self._course = course
        self._zygote = zygote
        self._sources = dict(sources)
        self._exercises = {exercise.id: exercise for exercise in course.exercises}
        self._candidates: dict[str, Candidate] = {}
        self._open = ExitStack()

    def __enter__(self) -> Learner:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def call(self, exercise: str, *args: Any, **kwargs: Any) -> Any:
        """What the learner's function returns. Raises Unanswered."""
        outcome = self.ask(exercise, Probe(args, kwargs))
        if not isinstance(outcome, Returned):
            raise Unanswered(exercise, outcome)
        return outcome.value

    def ask(self, exercise: str, probe: Probe) -> Outcome:
        """Put a probe to the learner's function."""
        found = self._exercises[exercise]
        if found.lesson not in self._candidates:
            self._candidates[found.lesson] = self._open.enter_context(self._candidate(found))
        return self._candidates[found.lesson].ask(found.name, probe, None)

    def ask_with(self, exercise: str, probe: Probe, lent: Replacements) -> Outcome:
        """The same with some of the functions that it rests on replaced, by lesson and name."""
        found = self._exercises[exercise]
        with self._candidate(found, lent) as candidate:
            return candidate.ask(found.name, probe, None)

    def _candidate(self, exercise: Exercise, lent: Replacements | None = None) -> Candidate:
        given = self._course.lesson(exercise.lesson).limits
        limits = Limits(seconds=given.seconds, memory_mb=given.memory_mb, output_kb=given.output_kb)
        return Candidate(self._zygote, self._sources, exercise.lesson, limits, lent)
