"""Gradings as a run would hand them to the gradebook."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from grader.batch.entry import Entry, Key, scored
from grader.batch.handed_in import Student
from grader.gradebook.book import Gradebook
from grader.gradebook.recording import Pair
from grader.report import ExerciseResult, Report, TestResult

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PARTS = {"the suite of first": "1", "the engine": "1"}


class Clock:
    """A minute later each time it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> datetime:
        self.asked += 1
        return NOON + timedelta(minutes=self.asked)


def pair(
    student: str = "ada",
    earned: int = 7,
    *,
    version: str = "1",
    submitted: datetime | None = None,
    late: bool = False,
    fault: bool = False,
    parts: dict[str, str] = PARTS,
    seed: str = "1",
    asked: str = "all",
    name: str = "",
) -> Pair:
    """A grading of two exercises, of which `shared` is always right (4 points). version: of what was handed in."""
    status = "grader_fault" if fault else "partial"
    test = TestResult("small_rows", "failed", earned, 10, "\x1b[31mnot \x00 right \ud800", 0.01)
    exercises = (
        ExerciseResult("first.double", status, earned, 10, message=f"of {student}", tests=(test,)),  # type: ignore[arg-type]
        ExerciseResult("first.shared", "passed", 4, 4),
    )
    report = Report(f"handed in by {student}", 1, ("process split",), exercises, level="weak")
    suite = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    submission = hashlib.sha256(f"{student}{version}".encode("utf-8", "surrogatepass")).hexdigest()
    key = Key(student, submission, suite, seed, asked)
    who = Student(student, name or f"Name of {student}", "someone@example.org")
    entry = Entry(key, who, "file", "folder", NOON, submitted, late, "hash", scored(report), parts)
    return entry, report


def cohort(count: int) -> list[Pair]:
    """A pair a student, `s0000` on."""
    return [pair(f"s{i:04}", i % 11, submitted=NOON - timedelta(hours=i)) for i in range(count)]


def state(book: Gradebook, assignment: str) -> object:
    """All that the gradebook says of an assignment, but for its clock."""
    changes = {
        student: [dataclasses.replace(change, at=NOON) for change in book.history(assignment, student)]
        for student in book.students(assignment)
    }
    return list(book.standings(assignment)), changes


class StopsAfter:
    """Pairs that something interrupts."""

    def __init__(self, pairs: Iterable[Pair], count: int, error: BaseException) -> None:
        self._pairs, self._count, self._error = pairs, count, error

    def __iter__(self) -> Iterator[Pair]:
        for position, each in enumerate(self._pairs):
            if position == self._count:
                raise self._error
            yield each
