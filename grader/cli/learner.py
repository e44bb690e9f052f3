"""What commands share about the learner at the keyboard: the log, the progress, the workspace."""

from pathlib import Path

import click

from grader.course.model import Course, Exercise
from grader.errors import UserError
from grader.records.fold import Progress, fold
from grader.records.log import Log, log_home
from grader.workspace.folder import Workspace, find_workspace


def learner_log() -> Log:
    """The log of whoever runs the command."""
    return Log(log_home())


def learner_progress(log: Log, course: Course) -> Progress:
    """The progress so far. Damage in the log is named on stderr and never stops a command."""
    history = log.read()
    for damage in history.damage:
        click.echo(f"Note: {damage}", err=True)
    return fold(history.events, course)


def asked_exercise(course: Course, typed: str | None, command: str) -> Exercise:
    """The exercise that was typed. Raises UserError, with an example to type, if none was."""
    if typed is None:
        example = course.exercises[0].id
        raise UserError(f"Name an exercise, as in `anatomy {command} {example}`. `anatomy list` names them all.")
    return course.resolve_exercise(typed)


def learner_workspace(course: Course) -> Workspace:
    """The workspace around the current folder. Raises UserError."""
    return find_workspace(Path.cwd(), course)
