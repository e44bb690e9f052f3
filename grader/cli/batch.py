"""`anatomy batch`: everything that was handed in, graded."""

from __future__ import annotations

from pathlib import Path

import click

from grader.course.load import load_course
from grader.errors import UserError

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
@click.option("--db", default="", metavar="URL", help="The gradebook's database; by default a file in DIR.")
@click.option("--resume/--no-resume", default=True, show_default=True, help="Grade only what has no verdict yet.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Which random inputs to use.")
@click.option(
    "--seed-file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A secret line that makes the seed; no output for students shows it.",
)
@click.option("--hide-expected", is_flag=True, help="Show no expected values in feedback.")
@click.option("--prefix", metavar="TEXT", help="What stands before the login in the names of repositories.")
@click.option("--allow-weak", is_flag=True, help="Grade even where submitted code could read your files.")
@click.option("--format", "style", type=FORMATS, default="text", show_default=True, help="How to print.")
def batch(
    submissions: Path, out: Path, lessons: tuple[str, ...], assignment: Path | None, jobs: int | None,
    scheduler: str | None, db: str, resume: bool, seed: int, seed_file: Path | None, hide_expected: bool,
    prefix: str | None, allow_weak: bool, style: str,
) -> None:  # fmt: skip
    """Grade SUBMISSIONS: a folder or a .zip as your learning platform gave it to you.

    Recognised are folders, .py and .zip files (one per student), cloned repositories, and the exports of Gradescope,
    Canvas, Moodle, Blackboard and nbgrader. The same command goes on where an earlier run has stopped.

    Exit code 0 if all were graded, 1 if something was refused or could not be read, 2 for a usage error, 3 for a fault
    of the grader's own.
    """
    from grader.batch.hands import begin_importing
    from grader.batch.journal import JOURNAL

    if scheduler is None and not (out / JOURNAL).exists():
        begin_importing()
    from grader.batch.order import Order
    from grader.cli.batching import Workplace, carry_out, tell

    course = load_course()
    if assignment is not None and lessons:
        raise UserError(f"The lessons stand in {assignment} already. Leave out --lesson, or the file.")
    if seed_file is not None and seed != 1:
        raise UserError("Both --seed and --seed-file were given. Keep one of them.")
    asked = {course.lesson(slug).slug for slug in lessons}
    order = Order(
        submissions=str(submissions.absolute()),
        lessons=tuple(lesson.slug for lesson in course.lessons if lesson.slug in asked or not asked),
        seed=seed,
        seed_file=str(seed_file.absolute()) if seed_file else "",
        hide_expected=hide_expected,
        prefix=prefix,
        assignment=str(assignment.absolute()) if assignment else "",
        db=db,
    )
    done = carry_out(order, out, Workplace(jobs, scheduler, allow_weak), again=not resume)
    tell(done, out, style)
    click.get_current_context().exit(done.exit_code)
