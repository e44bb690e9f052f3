"""`anatomy complete`: a lesson counts as completed without a grading."""

import click

from grader.cli.output import wrapped
from grader.cli.reviewing import known_lesson, learner_reviews
from grader.course.load import load_course
from grader.records.kinds import COMPLETE
from grader.review.ladder import RUNGS
from grader.review.learner import records_here


@click.command()
@click.argument("lesson", metavar="LESSON")
def complete(lesson: str) -> None:
    """Count LESSON as completed today, although not every exercise of it has passed here.

    Its quiz then comes back on days 1, 3, 7, 14 and 30. A lesson that was completed before keeps its date.
    """
    course = load_course()
    slug = known_lesson(course, lesson)
    reviews, _ = learner_reviews(course)
    anchor = reviews.lessons[slug].anchor
    if anchor is not None:
        says = f"{slug} was completed on {anchor}; that date stays. `anatomy restart {slug}` begins anew from today."
        click.echo(wrapped(says))
        return
    event = records_here().record(COMPLETE, {"lesson": slug}, reviews)
    days = f"{', '.join(map(str, RUNGS[:-1]))} and {RUNGS[-1]} days"
    click.echo(f"{slug} counts as completed on {event.study_day}. Its quiz comes back after {days}.")
