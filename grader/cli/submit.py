"""`anatomy submit`: what is handed in, as one zip."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click

from grader.atomic import write_bytes
from grader.cli.learner import learner_log, learner_workspace
from grader.cli.output import visible, wrapped
from grader.course.load import load_course
from grader.errors import UserError
from grader.workspace.handing_in import Parcel, is_parcel, pack

ENDING = ".zip"


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE.zip",
    required=True,
    help="Where to write. An earlier file of this command's is replaced, nothing else.",
)
@click.option("--with-log", is_flag=True, help="Add your records: gradings, hints and quiz answers.")
def submit(output: Path, with_log: bool) -> None:
    """Pack your lesson files into FILE.zip, to be handed in, and say what is in it.

    Only the course's own files are taken, and none of their text is run. Nothing is sent anywhere.
    """
    if output.suffix.lower() != ENDING:
        raise UserError(f"Name a file that ends in {ENDING}, as in `anatomy submit -o handed-in{ENDING}`.")
    if os.path.lexists(output) and not (output.is_file() and not output.is_symlink() and is_parcel(output)):
        raise UserError(f"{output} is there already and was not made by `anatomy submit`. Choose another -o FILE.zip.")
    course = load_course()
    logs = learner_log().files() if with_log else []
    parcel = pack(learner_workspace(course).student_dir, course, logs)
    size = write_bytes(output, parcel.content)
    click.echo(f"Wrote {visible(str(output))} ({max(1, round(size / 1000))} kB):\n")
    for line in _told(parcel):
        click.echo(line)
    if with_log:
        click.echo(f"\n{wrapped(_told_of_records(parcel))}")
    if parcel.missing:
        names = ", ".join(f"student/{slug}.py" for slug in parcel.missing)
        click.echo(wrapped(f"\nNot there, so not handed in: {names}."))
    click.echo(wrapped("\nWhat is written has not been run here: `anatomy grade` does that."))


def _told(parcel: Parcel) -> Iterator[str]:
    width = max(len(module.lesson) for module in parcel.modules)
    for module in parcel.modules:
        name = f"  student/{module.lesson}.py".ljust(width + 15)
        if module.problem:
            yield f"{name}cannot be read as Python:"
            yield from (f"      {visible(line)}" for line in module.problem.splitlines())
        elif not module.open:
            yield f"{name}all {module.exercises} written"
        elif len(module.open) == module.exercises:
            yield f"{name}nothing written yet"
        else:
            yield f"{name}not written yet: {', '.join(exercise.name for exercise in module.open)}"


def _told_of_records(parcel: Parcel) -> str:
    if not parcel.logs:
        return "You have no records yet, so none are in it."
    files = "1 file" if len(parcel.logs) == 1 else f"{len(parcel.logs)} files"
    return (
        f"Your records ({files}) are in it: your gradings, hints and quiz answers as you typed them, with the times. "
        "Your machine stands there as a random number; no name, path or address does."
    )
