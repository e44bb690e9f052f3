"""Runs without a grader: hands that answer at once, or die, as a test wishes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from grader.batch.fingerprint import Fingerprint
from grader.batch.handed_in import Contents, HandedIn, Student
from grader.batch.parcel import Graded, Parcel, graded
from grader.batch.run import Manner
from grader.options import Options
from grader.report import ExerciseResult, Report

EXERCISES = ("first.double", "first.shared")
PARTS = {"the engine": "e1", "torch": "2.9", "lesson first": "f1"}

Verdict = Callable[[Parcel], Graded]


def manner(options: Options | None = None, parts: Mapping[str, str] = PARTS) -> Manner:
    """How the made runs grade."""
    return Manner(EXERCISES, ("first",), options or Options(), Fingerprint(parts))


def handed_in(*students: str, text: str = "x = 1", problem: str = "", logs: tuple[bytes, ...] = ()) -> HandedIn:
    """What one student, or a group, has handed in."""
    modules = {} if problem else {"first": text.encode()}
    named = tuple(Student(each) for each in students)
    return HandedIn(named, f"{students[0]}/", lambda: Contents(modules, logs, problem))


def by_length(parcel: Parcel) -> Graded:
    """A verdict that depends on the text alone: of the first exercise a point for each of its characters, at most ten;
    the others have not been begun."""
    earned = min(10, *(len(text) for text in parcel.modules.values()), 10) if parcel.modules else 0
    first, *others = parcel.exercises
    results = (
        ExerciseResult(first, "passed" if earned == 10 else "partial", earned, 10),
        *(ExerciseResult(each, "not_started", 0, 4) for each in others),
    )
    return graded(Report("", parcel.options.seed, ("made",), results, held_out=parcel.options.held_out), parcel.names)


class Died(Exception):
    """Raised by a verdict: the process that graded has died."""


class _AtOnce(Executor):
    def __init__(self, verdict: Verdict) -> None:
        self._verdict = verdict
        self._broken = False

    def submit(self, _: Any, parcel: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self._broken:
            raise BrokenProcessPool("a process died")
        future: Future[Any] = Future()
        try:
            future.set_result(self._verdict(parcel))
        except Died:
            self._broken = True
            future.set_exception(BrokenProcessPool("a process died"))
        except Exception as error:
            future.set_exception(error)
        return future


class MadeHands:
    """Hands that grade at once, in this process. opened: how many executors there were."""

    def __init__(self, verdict: Verdict = by_length, size: int = 2) -> None:
        self.size = size
        self.opened = 0
        self.graded: list[str] = []
        self._verdict = verdict
        self._open()

    def executor(self) -> Executor:
        return self._executor

    def renew(self) -> None:
        self._open()

    def close(self) -> None:
        pass

    def _open(self) -> None:
        self.opened += 1

        def noted(parcel: Parcel) -> Graded:
            self.graded.append(parcel.names[0])
            return self._verdict(parcel)

        self._executor = _AtOnce(noted)
