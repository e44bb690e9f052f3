"""What a grading leaves in the learner's log, and what it completes."""

from __future__ import annotations

from grader.course.model import Course
from grader.records.kinds import GRADING
from grader.report import Report
from grader.review.history import fold_reviews
from grader.review.learner import LearnerRecords


def record_grading(course: Course, report: Report, records: LearnerRecords) -> tuple[str, ...]:
    """Record a grading. Returns the lessons that it completed. Raises LogUnwritable, LogUnreadable."""
    exercises = {
        result.id: {
            "status": result.status,
            "earned": result.earned,
            "possible": result.possible,
            "misconception": result.misconception,
        }
        for result in report.exercises
    }
    known = records.known(course)
    before = known.reviews
    event = records.record(GRADING, {"seed": report.seed, "exercises": exercises}, before)
    after = fold_reviews([*known.events, event], course)
    return tuple(
        lesson
        for lesson, history in after.lessons.items()
        if history.anchor is not None and before.lessons[lesson].anchor is None
    )
