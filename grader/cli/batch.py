"""`anatomy batch`: everything that was handed in, graded."""

from __future__ import annotations

from pathlib import Path

import click

from grader.course.load import load_course

FORMATS = click.Choice(["text", "json"])


@click.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="Where the results go.",
)
@click.option(
    "--lesson", "lessons", multiple=True, metavar="LESSON", help="Grade this lesson only; may be given several times."
)
@click.option(
    "--assignment",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Title, lessons, due date and late policy, as YAML.",
)
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Processes; by default one a core.")
@click.option("--scheduler", metavar="URL", help="Grade on the workers of this Dask scheduler.")
@click.option("--db", metavar="URL", help="The gradebook's database; by default a file in DIR.")
@click.option("--resume/--no-resume", default=True, show_default=True, help="Grade only what has no verdict yet.")
@click.option("--change", is_flag=True, help="Go on with other options than those of the run before into DIR.")
@click.option("--seed", type=click.IntRange(min=0), help="Which random inputs to use.  [default: 1]")
@click.option(
    "--seed-file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A secret line that makes the seed; no output for students shows it. Values it draws are shown, unless "
    "--hide-expected is given as well.",
)
@click.option("--hide-expected/--show-expected", default=None, help="Show no expected values in feedback.")
@click.option("--prefix", metavar="TEXT", help="What stands before the login in the names of repositories.")
@click.option("--allow-weak", is_flag=True, help="Grade even where submitted code could read your files.")
@click.option("--format", "style", type=FORMATS, default="text", show_default=True, help="How to print.")
def batch(
    submissions: Path, out: Path, lessons: tuple[str, ...], assignment: Path | None, jobs: int | None,
    scheduler: str | None, db: str | None, resume: bool, change: bool, seed: int | None, seed_file: Path | None,
    hide_expected: bool | None, prefix: str | None, allow_weak: bool, style: str,
) -> None:  # fmt: skip
    """Grade SUBMISSIONS: a folder or a .zip as your learning platform gave it to you.

    Recognised are folders, .py and .zip files (one per student), cloned repositories, and the exports of Gradescope,
    Canvas, Moodle, Blackboard and nbgrader. The same command goes on where an earlier run has stopped; options that are
    left out stay what they were.

    Exit code 0 if all were graded, 1 if something was refused or could not be read, 2 for a usage error, 3 for a fault
    of the grader's own, 130 after Ctrl-C.
    """
    from grader.batch.hands import begin_importing
    from grader.batch.journal import JOURNAL

    if scheduler is None and not (out / JOURNAL).exists():
        begin_importing()
    from grader.batch.asked import Asked, order_for
    from grader.cli.batch_told import tell
    from grader.cli.batching import Workplace, carry_out

    asked = Asked(submissions, lessons, assignment, seed, seed_file, hide_expected, prefix, db)
    order = order_for(asked, load_course(), out, change=change)
    done = carry_out(order, out, Workplace(jobs, scheduler, allow_weak, db), again=not resume)
    tell(done, out, style)
    click.get_current_context().exit(done.exit_code)
