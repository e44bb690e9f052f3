"""`anatomy restart`: the reviews of a lesson begin anew."""

import click

from grader.cli.reviewing import known_lesson, learner_reviews
from grader.course.load import load_course
from grader.errors import UserError
from grader.records.kinds import RESTART
from grader.review.learner import records_here


@click.command()
@click.argument("lesson", metavar="LESSON")
def restart(lesson: str) -> None:
    """Begin the reviews of LESSON anew: its five rungs are counted from today.

    What you answered before stays in your records. `anatomy undo` takes the restart back.
    """
    course = load_course()
    slug = known_lesson(course, lesson)
    reviews, _ = learner_reviews(course)
    if reviews.lessons[slug].anchor is None:
        raise UserError(
            f"{slug} is not completed yet, so there is nothing to begin anew. Grade it with `anatomy grade {slug}`, or "
            f"count it as completed with `anatomy complete {slug}`."
        )
    event = records_here().record(RESTART, {"lesson": slug}, reviews)
    click.echo(f"The reviews of {slug} begin anew on {event.study_day}. The first comes tomorrow.")
