"""`anatomy reset`: one function back to its stub."""

import click

from grader.cli.learner import asked_exercise, learner_workspace
from grader.course.load import load_course
from grader.records import clock
from grader.workspace.reset import reset as reset_exercise


@click.command()
@click.argument("exercise", metavar="EXERCISE", required=False)
def reset(exercise: str | None) -> None:
    """Put EXERCISE, such as normalization.rms_norm, back to its stub.

    The rest of the file stays as it is, and the whole file as it was is kept in student/.kept/.
    """
    course = load_course()
    wanted = asked_exercise(course, exercise, "reset")
    workspace = learner_workspace(course)
    done = reset_exercise(workspace, wanted, course, clock.now())
    click.echo(done.says)
    if done.kept:
        click.echo(f"The file as it was: {done.kept.relative_to(workspace.root)}")
