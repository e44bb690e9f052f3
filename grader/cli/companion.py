"""The companion of a session at the terminal: a zygote of its own, and the functions of the workspace around here."""

from __future__ import annotations

from pathlib import Path

from grader.course.model import Course
from grader.errors import UserError
from grader.review.companion import Companion
from grader.sandbox import Zygote
from grader.workspace import find_workspace


def companion_here(course: Course) -> Companion:
    """Asks the learner's own functions where there is a workspace. Its zygote starts at the first need."""
    return Companion(course, _modules(course), lambda: Zygote())


def _modules(course: Course) -> Path | None:
    """Where the learner's functions lie; None outside a workspace."""
    try:
        return find_workspace(Path.cwd(), course).student_dir
    except UserError:
        return None
