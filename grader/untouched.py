"""The report of a submission in which nothing has been begun, made without starting any process."""

from __future__ import annotations

from collections.abc import Sequence

from grader.course.model import Exercise
from grader.edition import bundle
from grader.judge.source import parse_submission
from grader.report import NOTHING_RUN, ExerciseResult, Report
from grader.workspace import Submission


def untouched_report(submission: Submission, exercises: Sequence[Exercise], seed: int) -> Report | None:
    """A report in which every exercise is `not_started`, or None if any of them has been begun or cannot be read."""
    sources = submission.sources()
    if any(exercise.lesson not in sources for exercise in exercises):
        return None
    student = parse_submission(sources)
    if not all(student.definition(exercise.lesson, exercise.name).is_stub for exercise in exercises):
        return None
    results = tuple(
        ExerciseResult(
            exercise.id,
            "not_started",
            earned=0,
            possible=exercise.points,
            message="Not written yet.",
            section=f"lessons/{exercise.lesson}/lesson.md#{exercise.section}",
        )
        for exercise in exercises
    )
    return Report(submission.folder.name, seed, NOTHING_RUN, results, public=bundle() is not None)
