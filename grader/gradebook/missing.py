"""Reports where there is none: of a student who has points by hand alone, and of a grading whose record is damaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grader.gradebook.assignment import Assignment
from grader.report import NOTHING_RUN, ExerciseResult, Report

Asked = Sequence[tuple[str, int]]
"""The exercises of an assignment, by id, and the points of each."""
Asks = Callable[[Assignment], Asked]

DAMAGED = "The gradebook's record of this grading is damaged. It costs no points: grading it again replaces it."


def asked_by_course(assignment: Assignment) -> Asked:
    """What an assignment asks for, by the course as it is now; lessons that it no longer has ask for nothing."""
    from grader.course.load import load_course  # who has no such student need not wait for it

    lessons = {lesson.slug: lesson for lesson in load_course().lessons}
    known = [lessons[slug] for slug in assignment.lessons if slug in lessons]
    return tuple((exercise.id, exercise.points) for lesson in known for exercise in lesson.exercises)


def unseen_report(asked: Asked) -> Report:
    """Of a student of whom nothing was graded: every exercise not started."""
    results = tuple(ExerciseResult(id_, "not_started", 0, points) for id_, points in asked)
    return Report("", 0, NOTHING_RUN, results)


def damaged_report(asked: Asked) -> Report:
    """In place of one that cannot be read: no verdict on any exercise."""
    results = tuple(ExerciseResult(id_, "grader_fault", 0, points, message=DAMAGED) for id_, points in asked)
    return Report("", 0, NOTHING_RUN, results, (DAMAGED,))
