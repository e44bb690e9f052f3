"""What a grading leaves in the learner's log, and what it completes."""

import click

from grader.cli.learner import learner_log
from grader.cli.output import wrapped
from grader.cli.recording import record
from grader.course.model import Course
from grader.records.kinds import GRADING
from grader.records.log import LogUnreadable, LogUnwritable
from grader.report import Report
from grader.review.history import fold_reviews
from grader.review.ladder import RUNGS


def log_grading(course: Course, report: Report) -> None:
    """Record a grading, and say which lessons it completed. A log that cannot be written never hides a verdict."""
    exercises = {
        result.id: {
            "status": result.status,
            "earned": result.earned,
            "possible": result.possible,
            "misconception": result.misconception,
        }
        for result in report.exercises
    }
    try:
        events = learner_log().read().events
        before = fold_reviews(events, course)
        event = record(GRADING, {"seed": report.seed, "exercises": exercises}, before)
    except (LogUnwritable, LogUnreadable) as error:
        click.echo(f"Note: {error}", err=True)
        return
    after = fold_reviews([*events, event], course)
    for lesson, history in after.lessons.items():
        if history.anchor is not None and before.lessons[lesson].anchor is None:
            later = ", ".join(str(days) for days in RUNGS[1:])
            told = (
                f"Lesson {lesson} is complete. Its quiz comes back tomorrow and {later} days from now: "
                f"`anatomy review`. Try it now: `anatomy quiz {lesson}`."
            )
            click.echo(wrapped(told), err=True)
