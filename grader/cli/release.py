"""`anatomy release`: the student's edition of the course."""

from pathlib import Path

import click

from grader.course.load import load_course


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def release(folder: Path) -> None:
    """Write the student's edition into DIR, which must be new or empty.

    It has the lessons, the stubs, the grader with the public checks, and the quizzes; it has no answers to the
    exercises, no hidden tests and no misconceptions, and that is proved before DIR appears. A student installs it with
    `pip install .` and grades, reviews and hands in without the network.
    """
    course = load_course()
    from grader.release.bundle import release as write  # it imports torch

    done = write(folder, course)
    click.echo(
        f"Wrote {folder}: {len(course.lessons)} lessons, {done.exercises} exercises with {done.tests} public checks, "
        f"{done.questions} quiz questions; {done.files} files, {done.size / 1e6:.1f} MB. Nothing hidden is in it."
    )
    click.echo("Students begin with its README.md:")
    click.echo("  python3 -m venv .venv && . .venv/bin/activate && pip install . && anatomy grade")
