"""`anatomy pause`: a lesson is left out of what is due."""

import click

from grader.cli.reviewing import known_lesson, learner_reviews
from grader.course.load import load_course
from grader.records.kinds import PAUSE, RESUME
from grader.review.learner import records_here


@click.command()
@click.argument("lesson", metavar="LESSON")
@click.option("--end", is_flag=True, help="End the pause.")
def pause(lesson: str, end: bool) -> None:
    """Leave LESSON out of what is due until `anatomy pause LESSON --end`. No date moves."""
    course = load_course()
    slug = known_lesson(course, lesson)
    reviews, _ = learner_reviews(course)
    if reviews.lessons[slug].paused is not end:
        click.echo(f"{slug} is not paused." if end else f"{slug} is paused already.")
        return
    records_here().record(RESUME if end else PAUSE, {"lesson": slug}, reviews)
    if end:
        click.echo(f"{slug} is asked for again when it is due.")
    else:
        click.echo(f"{slug} is paused: it is not called due. Its dates stay. `anatomy pause {slug} --end` ends that.")
