"""What commands share about the learner at the keyboard: the log, the progress, the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.course.model import Course, Exercise
from grader.errors import UserError
from grader.records.fold import Progress, fold
from grader.records.log import Damage, Log, log_home

if TYPE_CHECKING:
    from grader.workspace import Workspace

DAMAGE_NAMED = 5


def learner_log() -> Log:
    """The log of whoever runs the command."""
    return Log(log_home())


def learner_progress(log: Log, course: Course) -> Progress:
    """The progress so far. Damage in the log is named on stderr and never stops a command."""
    history = log.read()
    name_damage(history.damage)
    return fold(history.events, course)


def name_damage(damage: Sequence[Damage]) -> None:
    """Say on stderr which lines could not be read: the first few of them, and how many more there are."""
    for fault in damage[:DAMAGE_NAMED]:
        click.echo(f"Note: {fault}", err=True)
    if (left := len(damage) - DAMAGE_NAMED) > 0:
        more = "1 more line is" if left == 1 else f"{left} more lines are"
        click.echo(f"Note: {more} damaged and left out.", err=True)


def asked_exercise(course: Course, typed: str | None, command: str) -> Exercise:
    """The exercise that was typed. Raises UserError, with an example to type, if none was."""
    if typed is None:
        example = course.exercises[0].id
        raise UserError(f"Name an exercise, as in `anatomy {command} {example}`. `anatomy list` names them all.")
    return course.resolve_exercise(typed)


def learner_workspace(course: Course) -> Workspace:
    """The workspace around the current folder. Raises UserError."""
    from grader.workspace import find_workspace  # many commands need none

    return find_workspace(Path.cwd(), course)
