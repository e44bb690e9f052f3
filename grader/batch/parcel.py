"""One submission on its way to a process that grades, and what comes back. Both travel as bytes and plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from grader.batch.entry import Scored, scored
from grader.course.model import Course
from grader.options import Options
from grader.report import NOTHING_RUN, ExerciseResult, Report, Status


@dataclass(frozen=True, slots=True)
class Parcel:
    """names: whose it is, one report for each; modules: their bytes by lesson; exercises: the ids that are asked;
    lessons: the suites that may be needed; suite: the fingerprint of the course that sent it."""

    names: tuple[str, ...]
    modules: Mapping[str, bytes]
    exercises: tuple[str, ...]
    lessons: tuple[str, ...]
    options: Options
    suite: str
    allow_weak: bool = False


@dataclass(frozen=True, slots=True)
class Graded:
    """reports: the Report as JSON for each of the parcel's names; exercises: their short form, the same for all."""

    reports: tuple[bytes, ...]
    exercises: tuple[Scored, ...]


def graded(report: Report, names: tuple[str, ...]) -> Graded:
    """A report as what comes back, under each of the names."""
    return Graded(tuple(document(replace(report, submission=name)) for name in names), scored(report))


def document(report: Report) -> bytes:
    """The report's JSON. Half of a surrogate pair, which UTF-8 cannot hold, stays the escape that JSON has for it."""
    return report.to_json().encode("utf-8", "backslashreplace")


def without_verdict(
    course: Course, exercises: tuple[str, ...], options: Options, status: Status, message: str
) -> Report:
    """The report where nothing could be judged: each exercise with that status and no points."""
    results = tuple(
        ExerciseResult(id_, status, earned=0, possible=course.exercise(id_).points, message=message)
        for id_ in exercises
    )
    return Report("", options.seed, NOTHING_RUN, results, (message,), held_out=options.held_out)
