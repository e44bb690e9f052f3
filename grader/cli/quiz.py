"""`anatomy quiz`: the questions of a lesson, whenever you like."""

import click

from grader.cli.reviewing import known_lesson, learner_reviews
from grader.course.load import load_course


@click.command()
@click.argument("lesson", metavar="LESSON")
def quiz(lesson: str) -> None:
    """Ask eight questions of LESSON, to see how well it sits.

    The answers are recorded as practice and take no rung; reviews that are due are asked by `anatomy review`. Each time
    come those that were asked longest ago, with new numbers.
    """
    from grader.cli.sessions import hold

    course = load_course()
    learner_reviews(course)  # names what is wrong with the log or the clock
    click.get_current_context().exit(hold(course, [known_lesson(course, lesson)], practice=True))
