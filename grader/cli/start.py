"""`anatomy start`: make or complete a workspace."""

from pathlib import Path

import click

from grader.course.load import load_course
from grader.edition import offers
from grader.workspace.folder import start as start_workspace


@click.command()
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
def start(folder: Path) -> None:
    """Make a workspace in DIR (here by default): a stub for every function, the lessons' pages and a README.

    A file that is already there is left alone, so it is safe to run this again.
    """
    course = load_course()
    started = start_workspace(folder, course)
    root = started.workspace.root
    if not started.written:
        click.echo(f"Everything is in {root} already; nothing was changed.")
    else:
        click.echo(f"Wrote {_files(len(started.written))} in {root}:")
        for path in started.written:
            click.echo(f"  {path.relative_to(root)}")
    if started.written and started.kept:
        click.echo(f"Left {_files(len(started.kept))} alone that you had before.")
    first = course.exercises[0]
    click.echo("")
    if root != Path.cwd():
        click.echo(f"Go there:  cd {folder}")
    click.echo(f"Read:      lessons/{first.lesson}/lesson.md")
    click.echo(f"Write:     {first.name} in student/{first.lesson}.py")
    click.echo(f"Grade it:  anatomy grade {first.id}")
    if offers("serve"):
        click.echo("Or both in the browser, graded as you save:  anatomy serve")


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"
