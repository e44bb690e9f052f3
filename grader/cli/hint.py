"""`anatomy hint`: one staged hint at a time."""

import click

from grader.cli.learner import asked_exercise
from grader.cli.output import terminal_width
from grader.cli.reviewing import learner_standing
from grader.course.load import load_course
from grader.course.model import Exercise
from grader.records.kinds import HINT
from grader.records.log import LogUnwritable
from grader.review.learner import records_here


@click.command()
@click.argument("exercise", metavar="EXERCISE", required=False)
def hint(exercise: str | None) -> None:
    """Show the next hint for EXERCISE, such as normalization.rms_norm.

    Hints go from a question to nearly the line. Which ones you have taken is recorded; they cost no points.
    """
    course = load_course()
    wanted = asked_exercise(course, exercise, "hint")
    standing, _ = learner_standing(course)
    taken = standing.progress.exercise(wanted).hints
    last = len(wanted.hints)
    if taken >= last:
        click.echo("That was the last hint; here it is again.\n")
        _show(wanted, last)
        return
    number = taken + 1
    try:
        records_here().record(HINT, {"exercise": wanted.id, "number": number}, standing.ladders)
    except LogUnwritable:
        _show(wanted, number)
        raise
    _show(wanted, number)


def _show(exercise: Exercise, number: int) -> None:
    last = len(exercise.hints)
    click.echo(f"Hint {number} of {last} for {exercise.id}\n")
    click.echo(
        click.wrap_text(
            exercise.hints[number - 1], width=terminal_width(88), initial_indent="  ", subsequent_indent="  "
        )
    )
    if number < last:
        click.echo(f"\nOne step further: anatomy hint {exercise.id}")
    else:
        click.echo(f"\nThe whole story: lessons/{exercise.lesson}/lesson.md, section #{exercise.section}")
