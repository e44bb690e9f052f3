"""`anatomy site`: the pages of the course as files."""

from pathlib import Path

import click

from grader.course.load import load_course


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def site(folder: Path) -> None:
    """Write the course as pages into DIR: lessons with pictures that move, quizzes, the decoder stage by stage.

    Each page is one file that needs no network and no server. DIR must be new, empty, or hold an earlier site, which is
    then replaced. `anatomy serve` shows the same pages with your own progress.
    """
    course = load_course()
    from grader.site.build import INDEX, build_site  # it imports torch, for the answers of the quizzes

    done = build_site(folder, course)
    click.echo(f"Wrote {done.pages} pages, {done.size / 1e6:.1f} MB. Open this one in a browser:")
    click.echo(f"  {folder / INDEX}")
