"""A grading goes into the learner's log, and what it completes is said."""

import click

from grader.cli.output import wrapped
from grader.course.model import Course
from grader.records.log import LogUnreadable, LogUnwritable
from grader.report import Report
from grader.review.graded import record_grading
from grader.review.ladder import RUNGS
from grader.review.learner import records_here


def log_grading(course: Course, report: Report) -> None:
    """Record a grading, and say which lessons it completed. A log that cannot be written never hides a verdict."""
    try:
        completed = record_grading(course, report, records_here())
    except (LogUnwritable, LogUnreadable) as error:
        click.echo(f"Note: {error}", err=True)
        return
    later = ", ".join(str(days) for days in RUNGS[1:])
    for lesson in completed:
        told = (
            f"Lesson {lesson} is complete. Its quiz comes back tomorrow and {later} days from now: "
            f"`anatomy review`. Try it now: `anatomy quiz {lesson}`."
        )
        click.echo(wrapped(told), err=True)
