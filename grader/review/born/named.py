"""Which of the learner's mistakes are to be asked about again. Needs no torch: what was named is told by the log."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from grader.course.model import Course

if TYPE_CHECKING:
    from grader.review.history import Reviews

PREFIX = "mistake/"
VERSION = 1
"""Raised when the questions of this kind change so much that an old answer says nothing about them."""
RUNGS_TO_PASS = 2


class NoQuestion(LookupError):
    """Nothing can be asked about this mistake: the course no longer has it, or nothing sets it apart."""


@dataclass(frozen=True, slots=True)
class Born:
    """An item that came from a mistake of the learner's. named: the study day of the last grading that named it."""

    id: str
    lesson: str
    exercise: str
    named: date


def born_items(reviews: Reviews, course: Course) -> list[Born]:
    """The mistakes that are to be asked about, the latest named first."""
    named: dict[str, date] = {}
    for told, day in reviews.named.items():
        for misconception in parts(told):
            named[misconception] = max(day, named.get(misconception, day))
    found = []
    for misconception, day in named.items():
        exercise_id = misconception.rpartition(".")[0]
        if not course.has(exercise_id):  # of another version of the course, or a general cause
            continue
        lesson = course.exercise(exercise_id).lesson
        passes = reviews.lessons[lesson].passes if lesson in reviews.lessons else {}
        if sum(passed > day for passed in passes.get(PREFIX + misconception, ())) < RUNGS_TO_PASS:
            found.append(Born(PREFIX + misconception, lesson, exercise_id, day))
    return sorted(found, key=lambda item: (-item.named.toordinal(), course.position(item.exercise), item.id))


def parts(told: str) -> list[str]:
    """The ids that a grading's `misconception` names: two made together are written `lesson.exercise.one+other`."""
    exercise, dot, names = told.rpartition(".")
    return [f"{exercise}{dot}{name}" for name in names.split("+")]
