"""Who says what is right: the reference, or in a student's bundle what the reference answered when that was made."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from functools import cache
from types import ModuleType
from typing import Any, Protocol

from grader.course.model import Exercise
from grader.edition import Bundle, bundle
from grader.errors import GraderFault
from grader.judge.answer import Answer
from grader.judge.check import Examination
from grader.judge.misconception import Flawed
from grader.judge.probe import Probe
from grader.judge.recorded import Recorded, RecordedExamination, read_answers
from grader.places import outline_folder
from grader.sandbox.reply import Outcome

Ask = Callable[[Probe, Any], Outcome]
Kept = dict[str, list[tuple[Probe, Answer]]]


def reference_function(exercise: Exercise) -> Callable[..., Any]:
    """The reference's function of an exercise."""
    function: Callable[..., Any] = getattr(importlib.import_module(f"reference.{exercise.lesson}"), exercise.name)
    return function


def flawed_function(exercise: Exercise) -> Flawed | None:
    """The catalogue of an exercise, None if it has none."""
    module = importlib.import_module(f"grader.misconceptions.{exercise.lesson}")
    found: Flawed | None = module.catalogue.exercises.get(exercise.name)
    return found


class Authority(Protocol):
    """What a grading asks. public: only the public checks can be judged, and nothing right can be lent."""

    public: bool

    def function(self, exercise: Exercise) -> Callable[..., Any]:
        """A function with the signature and the defaults that count."""

    def catalogue(self, exercise: Exercise) -> Flawed | None:
        """The known mistakes of an exercise, None where they are not known."""

    def examination(self, exercise: Exercise, ask: Ask, kept: Kept, helper: Executor | None) -> Examination:
        """An examination of one function. kept: answers of earlier ones, to be used again."""


class Reference:
    """The reference itself."""

    public = False

    def function(self, exercise: Exercise) -> Callable[..., Any]:
        return reference_function(exercise)

    def catalogue(self, exercise: Exercise) -> Flawed | None:
        return flawed_function(exercise)

    def examination(self, exercise: Exercise, ask: Ask, kept: Kept, helper: Executor | None) -> Examination:
        return Examination(reference_function(exercise), ask, kept, helper)


class Record:
    """What a bundle holds of the reference: stubs, and answers to the public tests."""

    public = True

    def __init__(self, here: Bundle) -> None:
        self._bundle = here
        self._answers: dict[str, Mapping[str, Recorded]] = {}

    def function(self, exercise: Exercise) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(_stubs(exercise.lesson), exercise.name)
        return function

    def catalogue(self, exercise: Exercise) -> Flawed | None:  # noqa: ARG002  none is known here
        return None

    def examination(self, exercise: Exercise, ask: Ask, kept: Kept, helper: Executor | None) -> Examination:  # noqa: ARG002
        lesson = exercise.lesson
        if lesson not in self._answers:
            self._answers[lesson] = read_answers(self._bundle.answers / f"{lesson}.bin")
        return RecordedExamination(
            self.function(exercise), ask, kept, recorded=self._answers[lesson].get(exercise.name, {})
        )


def authority() -> Authority:
    """Whoever it is in this installation."""
    here = bundle()
    return Reference() if here is None else Record(here)


@cache
def _stubs(lesson: str) -> ModuleType:
    """The stubs of a lesson as a module: they import torch and name no other lesson."""
    path = outline_folder() / f"{lesson}.py"
    spec = importlib.util.spec_from_file_location(f"{__name__}.{lesson}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise GraderFault(f"the stubs of this edition are missing: {path}. Install it again")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
