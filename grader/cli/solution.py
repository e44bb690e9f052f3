"""`anatomy solution`: the reference's answer, for those who have found their own."""

import click

from grader.cli.learner import asked_exercise, learner_log, learner_progress
from grader.course.load import load_course
from grader.course.solutions import solution_source
from grader.errors import UserError


@click.command()
@click.argument("exercise", metavar="EXERCISE", required=False)
def solution(exercise: str | None) -> None:
    """Show the answer to EXERCISE, such as normalization.rms_norm, once your own has passed."""
    course = load_course()
    wanted = asked_exercise(course, exercise, "solution")
    if not learner_progress(learner_log(), course).exercise(wanted).best.done:
        raise UserError(
            f"The answer to {wanted.id} is shown once yours has passed. Grade it with `anatomy grade {wanted.id}`; "
            f"if you are stuck, `anatomy hint {wanted.id}` helps."
        )
    click.echo(solution_source(course.lesson(wanted.lesson), wanted), nl=False)
