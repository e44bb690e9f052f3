"""What a grading leaves in the learner's log, and what is told of it."""

import click

from grader.cli.output import wrapped
from grader.course.model import Course
from grader.records.log import LogUnreadable, LogUnwritable
from grader.report import Report
from grader.review.graded import record_grading
from grader.review.ladder import RUNGS
from grader.review.learner import LearnerRecords, records_here


def log_grading(course: Course, report: Report) -> None:
    """Record a grading, and say which lessons it completed. A log that cannot be written never hides a verdict."""
    try:
        told = recorded(course, report, records_here())
    except (LogUnwritable, LogUnreadable) as error:
        click.echo(f"Note: {error}", err=True)
        return
    for sentence in told:
        click.echo(wrapped(sentence), err=True)


def recorded(course: Course, report: Report, records: LearnerRecords) -> list[str]:
    """Record a grading; a sentence for each lesson that it completed. Raises LogUnwritable, LogUnreadable."""
    later = ", ".join(str(days) for days in RUNGS[1:])
    return [
        f"Lesson {lesson} is complete. Its quiz comes back tomorrow and {later} days from now: "
        f"`anatomy review`. Try it now: `anatomy quiz {lesson}`."
        for lesson in record_grading(course, report, records)
    ]
