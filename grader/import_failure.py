"""A learner's module that cannot be run: whose fault it is, and what its exercises are told."""

from __future__ import annotations

import re

from grader.course.model import Exercise
from grader.report import Status
from grader.sandbox import Died, Raised


def origin(failure: Raised | Died | None) -> str | None:
    """The learner's module in which an import failed, where that can be told."""
    if not isinstance(failure, Raised):
        return None
    missing = re.fullmatch(r"No module named 'student\.(\w+)'", failure.message)
    return missing[1] if missing else failure.module


def import_verdict(exercise: Exercise, failure: Raised | Died) -> tuple[Status, str]:
    """The status and the message of an exercise whose module cannot be run."""
    where = f"student/{exercise.lesson}.py"
    if isinstance(failure, Died):
        status: Status = failure.reason if failure.reason in ("timeout", "memory") else "crashed"
        return status, f"{where} could not be run: {failure.detail}"
    if (slug := origin(failure)) not in (None, exercise.lesson):
        return "error", f"{where} imports student/{slug}.py, which cannot be run: {failure.message}."
    line = f", line {failure.line}" if failure.line else ""
    place = f"student/{failure.module}.py" if failure.module else where
    return "error", f"{where} could not be imported: {failure.type_name}: {failure.message} ({place}{line})."
