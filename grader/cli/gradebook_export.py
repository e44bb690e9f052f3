"""`anatomy gradebook export`: what platforms and spreadsheets take back, and the autograder for Gradescope."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.book import assignment_option, book_options, chosen, open_book
from grader.cli.destination import STANDARD_OUTPUT, output_option, write_output
from grader.cli.output import wrapped
from grader.course.load import load_course
from grader.errors import UserError
from grader.export.gradescope import VISIBILITIES, Visibility
from grader.options import DEFAULT_SEED

if TYPE_CHECKING:
    from grader.export.marks import Filled
    from grader.export.task import Task
    from grader.gradebook.assignment import Assignment
    from grader.gradebook.book import Gradebook
    from grader.gradebook.standing import Standing

FORMATS = {
    "csv": "A table: points by exercise, what counts, lateness.",
    "canvas": "A gradebook file for Canvas; --template: what Canvas exported.",
    "moodle": "A grading worksheet for Moodle; --template: the one it gave out.",
    "gradescope": "A results.json for each student, into the folder -o DIR.",
    "junit": "JUnit XML: one document, or one a student if -o is a folder.",
    "feedback": "The feedback page of each student, into the folder -o DIR.",
    "overview": "The page on the whole class; it links to feedback/ beside it.",
    "autograder": "The zip that makes an autograder on Gradescope; needs no gradebook.",
}
FILLS = ("canvas", "moodle")
CUT = ("csv", "canvas", "moodle")
"""Formats that a spreadsheet may open."""
FILE = click.Path(path_type=Path, dir_okay=False)


@dataclass(frozen=True, slots=True)
class Choices:
    """What was asked for beside the format and the book."""

    output: str
    template: Path | None
    column: str | None
    safe_cells: bool
    visibility: Visibility


def _format_options(command: Callable[..., None]) -> Callable[..., None]:
    for name, says in reversed(FORMATS.items()):
        command = click.option(f"--{name}", name, is_flag=True, help=says)(command)
    return command


@click.command()
@_format_options
@output_option("FILE|DIR")
@assignment_option
@book_options
@click.option("--template", type=FILE, metavar="FILE", help="What the platform gave out, to be filled in.")
@click.option("--column", metavar="ID|TITLE", help="The assignment in Canvas's file.")
@click.option("--safe-cells", is_flag=True, help="Guard text that a spreadsheet would take for a formula.")
@click.option(
    "--visibility",
    type=click.Choice(VISIBILITIES),
    default="visible",
    show_default=True,
    help="When students see the tests on Gradescope.",
)
@click.option("--lesson", "lessons", multiple=True, metavar="LESSON", help="Autograder: grade this one; repeatable.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Autograder: which random inputs.")
@click.option("--seed-file", type=FILE, metavar="FILE", help="Autograder: a secret line that makes the seed.")
@click.option("--hide-expected", is_flag=True, help="Autograder: show no expected values.")
@click.option("--allow-weak", is_flag=True, help="Autograder: grade even where code could read the grader's files.")
def export(
    output: str, assignment: str | None, out: Path | None, db: str | None, template: Path | None, column: str | None,
    safe_cells: bool, visibility: Visibility, lessons: tuple[str, ...], seed: int | None, seed_file: Path | None,
    hide_expected: bool, allow_weak: bool, **formats: bool,
) -> None:  # fmt: skip
    """Write the gradebook for a platform or a spreadsheet. What you should know of it first is said beside."""
    wanted = [name for name in FORMATS if formats[name]]
    if len(wanted) != 1:
        raise UserError(f"Choose one of {', '.join(f'--{name}' for name in FORMATS)}.")
    choices = Choices(output, template, column, safe_cells, visibility)
    of_autograder = bool(lessons or seed is not None or seed_file or hide_expected or allow_weak)
    _refuse_idle(wanted[0], choices, of_autograder)
    if wanted[0] == "autograder":
        if assignment or out or db:
            raise UserError("The autograder needs no gradebook: name what it grades with --lesson, not --assignment.")
        _autograder(output, _task(lessons, seed, seed_file, hide_expected, allow_weak, visibility))
        return
    with _room(), open_book(out, db) as book:
        _export(wanted[0], book, chosen(book, assignment), choices)


@contextmanager
def _room() -> Iterator[None]:
    """A full disk is told as what it is: another place need not be better."""
    try:
        yield
    except UserError as error:
        if isinstance(error.__cause__, OSError) and error.__cause__.errno in (errno.ENOSPC, errno.EDQUOT):
            what = str(error).partition(" cannot be written")[0]
            raise UserError(
                f"{what} cannot be written: the disk is full. Make room or choose another disk, and run this again."
            ) from error
        raise


def _refuse_idle(wanted: str, choices: Choices, of_autograder: bool) -> None:
    """An option that would do nothing is a misunderstanding."""
    if choices.template and wanted not in FILLS:
        raise UserError(f"--template is for --canvas and --moodle, not for --{wanted}. Leave it out.")
    if choices.column and wanted != "canvas":
        raise UserError(f"--column is for --canvas, not for --{wanted}. Leave it out.")
    if choices.safe_cells and wanted not in CUT:
        raise UserError(f"--safe-cells is for {', '.join(f'--{name}' for name in CUT)}. Leave it out.")
    if choices.safe_cells and choices.template:
        raise UserError("A template's cells stay as they were found, so --safe-cells does nothing. Leave it out.")
    if of_autograder and wanted != "autograder":
        raise UserError("--lesson, --seed, --seed-file, --hide-expected and --allow-weak are for --autograder only.")


def _export(wanted: str, book: Gradebook, assignment: Assignment, choices: Choices) -> None:
    def standings() -> Iterator[Standing]:
        return book.standings(assignment.id)

    if wanted in ("gradescope", "feedback") or (wanted == "junit" and _is_folder(choices.output)):
        _files(wanted, standings(), book.students(assignment.id), assignment, choices)
    elif wanted == "csv":
        from grader.export import grades

        course = load_course()
        ids = [exercise.id for slug in assignment.lessons for exercise in course.lesson(slug).exercises]
        lines = grades.lines(standings(), ids, safe_cells=choices.safe_cells, long=True)
        write_output(choices.output, map(_encoded, lines))
    elif wanted == "junit":
        from grader.export.junit import class_junit

        write_output(choices.output, map(_encoded, class_junit(standings(), assignment.title)))
    elif wanted == "overview":
        write_output(choices.output, _encoded(_overview(standings(), book.students(assignment.id), assignment)))
    else:
        filled = _filled(wanted, standings(), assignment, choices)
        write_output(choices.output, filled.content)
        for note in filled.notes:
            click.echo(wrapped(f"Note: {note}"), err=True)


def _overview(standings: Iterable[Standing], ids: Sequence[str], assignment: Assignment) -> str:
    from grader.analysis.cohort import Cohort
    from grader.batch.naming import file_names
    from grader.render.overview import overview

    names, cohort = file_names(ids), Cohort()
    for standing in standings:
        cohort.add(names[standing.student.id], standing.report, standing.final, standing.student)
    return overview(cohort.summary(), None, assignment.title, ())


def _filled(wanted: str, standings: Iterable[Standing], assignment: Assignment, choices: Choices) -> Filled:
    from grader.export import canvas, moodle

    template = _read(choices.template) if choices.template else None
    title = assignment.title
    if wanted == "canvas":
        if template is not None:
            return canvas.fill_canvas(standings, template, choices.column, title)
        return canvas.canvas_csv(standings, choices.column or title, safe_cells=choices.safe_cells)
    if template is not None:
        return moodle.fill_moodle(standings, template)
    return moodle.moodle_csv(standings, safe_cells=choices.safe_cells)


def _files(
    wanted: str, standings: Iterable[Standing], ids: Sequence[str], assignment: Assignment, choices: Choices
) -> None:
    """A file a student, each named as `anatomy batch` names that student's."""
    from grader.atomic import write_bytes
    from grader.batch.naming import file_names

    if choices.output == STANDARD_OUTPUT:
        raise UserError(f"--{wanted} writes a file a student. Name a folder with -o DIR.")
    names, folder, count = file_names(ids), Path(choices.output), 0
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file, and --{wanted} writes a file a student. Name a folder with -o DIR.")
    content, ending = _page(wanted, assignment, choices)
    for standing in standings:
        path = folder / f"{names[standing.student.id]}{ending}"
        write_bytes(path, content(standing), lasting=False)
        count += 1
    click.echo(f"{count} files written to {folder}.", err=True)


def _page(wanted: str, assignment: Assignment, choices: Choices) -> tuple[Callable[[Standing], bytes], str]:
    """What makes a student's file, and its ending."""
    if wanted == "gradescope":
        from grader.export.gradescope import results, to_json

        return lambda standing: to_json(results(standing, visibility=choices.visibility)), ".json"
    if wanted == "junit":
        from grader.export.junit import student_junit

        return lambda standing: _encoded(student_junit(standing)), ".xml"
    from grader.render.feedback import feedback

    course = load_course()
    return lambda standing: _encoded(feedback(standing, course, assignment.title, assignment.zone)), ".html"


def _is_folder(output: str) -> bool:
    return output.endswith("/") or Path(output).is_dir()


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"The template {path} cannot be read: {error.strerror}.") from None


def _task(
    lessons: Sequence[str], seed: int | None, seed_file: Path | None, hide_expected: bool, allow_weak: bool,
    visibility: Visibility,
) -> Task:  # fmt: skip
    from grader.export.task import Task

    if seed is not None and seed_file is not None:
        raise UserError("Both --seed and --seed-file were given. Keep one of them.")
    course = load_course()
    asked = {course.lesson(slug).slug for slug in lessons}
    slugs = tuple(lesson.slug for lesson in course.lessons if lesson.slug in asked or not asked)
    number = DEFAULT_SEED if seed is None else seed
    if seed_file is not None:
        from grader.batch.order import secret_seed

        number = secret_seed(seed_file)
    return Task(slugs, number, seed_file is not None, hide_expected, visibility, allow_weak)


def _autograder(output: str, task: Task) -> None:
    from grader.export.autograder import autograder_zip
    from grader.places import clone_folder

    clone = clone_folder()
    if clone is None:
        raise UserError(
            "The autograder is installed from the course's sources, and this is an installation without them. Run the "
            "command in a clone."
        )
    write_output(output, autograder_zip(clone, task))
    kept = "It holds the answers and the hidden tests" + (", and the held-out seed" if task.held_out else "")
    click.echo(wrapped(f"{kept}: upload it to Gradescope, and give it to no student."), err=True)
