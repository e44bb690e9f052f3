"""`anatomy grade --watch`: grade again whenever a module is saved."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import watchfiles

from grader.cli.output import terminal_width
from grader.course.model import Exercise
from grader.report import Report
from grader.workspace import read_submission

if TYPE_CHECKING:
    from grader.grading import Grader

SETTLE_MS = 20
"""An editor writes a file in several steps; this long without a change means that it is done."""


def keep_grading(
    grader: Grader,
    folder: Path,
    exercises: Sequence[Exercise],
    publish: Callable[[Report], None],
    log: Callable[[Report], None] | None,
) -> None:
    """Grade the asked exercises of each lesson whose module changes, until Ctrl-C."""
    logging.getLogger("watchfiles").setLevel(logging.ERROR)  # it remarks on Ctrl-C in words of its own
    slugs = {exercise.lesson for exercise in exercises}
    click.echo(f"Watching {folder}. Save a file to grade it again; Ctrl-C ends.", err=True)
    changes = watchfiles.watch(
        folder, watch_filter=lambda _, path: Path(path).stem in slugs, step=SETTLE_MS, debounce=10 * SETTLE_MS,
        raise_interrupt=False, recursive=False,
    )  # fmt: skip
    for change in changes:
        saved = {Path(path).stem for _, path in change}
        names = ", ".join(sorted(f"{slug}.py" for slug in saved))
        click.echo(f"\n--- {names} saved ".ljust(terminal_width(80), "-") + "\n", err=True)
        report = grader.grade(read_submission(folder, grader.course), [e for e in exercises if e.lesson in saved])
        publish(report)
        if log:
            log(report)
