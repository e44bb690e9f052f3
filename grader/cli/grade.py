"""`anatomy grade`: the verdict on the learner's functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.course.load import load_course
from grader.course.model import Course, Exercise
from grader.edition import refuse_other_seeds
from grader.errors import UserError
from grader.report import Report, WrittenReport
from grader.workspace import MODULE_FOLDER, Submission, find_workspace, module_folder, read_submission

if TYPE_CHECKING:
    from grader.grading import Grader

LAB = "lab"
"""The lesson, and the folder in a workspace where its records and its report lie."""
FORMATS = ("text", "json", "junit", "html")


@click.command()
@click.argument("targets", nargs=-1, metavar="[LESSON | LESSON.FUNCTION]...")
@click.option(
    "--student",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Grade the modules in this folder; nothing is logged.",
)
@click.option("--watch", is_flag=True, help="Stay, and grade again each time a file is saved.")
@click.option("--format", "style", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write there instead of printing.",
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Which random inputs to use.")
@click.option("--hide-expected", is_flag=True, help="Show no expected values.")
def grade(
    targets: tuple[str, ...], student: Path | None, watch: bool, style: str, output: Path | None, seed: int,
    hide_expected: bool,
) -> None:  # fmt: skip
    """Grade your functions: all of them, some lessons, or single functions.

    Exit code 0 if everything asked for passed, 1 if something did not, 2 for a usage error, 3 for a fault of the
    grader's own.
    """
    refuse_other_seeds(seed)
    course = load_course()
    exercises = _asked(course, targets)
    folder = module_folder(student, course) if student else find_workspace(Path.cwd(), course).student_dir
    publish = _publisher(course, style, output, _spelled(folder))
    complete = reader_of_the_lab_report(folder, exercises)
    log = None if student else _logger(course)
    submission = read_submission(folder, course)
    if not watch and (report := _untouched(submission, exercises, seed)):
        publish(report)
        if log:
            log(report)
        click.get_current_context().exit(report.exit_code)
    from grader.cli.weak import warn_if_weak
    from grader.desk import at_desk
    from grader.options import Options

    def body(grader: Grader) -> int:
        report = complete(grader.grade(submission, exercises))
        publish(report)
        if log:
            log(report)
        if watch:
            from grader.cli.watching import keep_grading

            keep_grading(grader, folder, exercises, publish, log)
        return report.exit_code

    code = at_desk(course, submission, exercises, Options(seed, hide_expected), body, warn_if_weak)
    click.get_current_context().exit(code)


def reader_of_the_lab_report(folder: Path, exercises: Sequence[Exercise]) -> Callable[[Report], Report]:
    """Adds what became of the report on an experiment, if the lab was asked for and a report was begun."""

    def complete(report: Report) -> Report:
        if not any(exercise.lesson == LAB for exercise in exercises):
            return report
        from grader.lab.report import examine

        root = folder.parent if folder.name == MODULE_FOLDER else folder
        written = examine(root / LAB)
        if not written.present:
            return report
        problems = tuple(str(problem) for problem in written.problems)
        found = WrittenReport(_spelled(written.path), len(written.claims), written.records, problems)
        return replace(report, lab_report=found)

    return complete


def _asked(course: Course, targets: Sequence[str]) -> list[Exercise]:
    if not targets:
        return list(course.exercises)
    chosen = {exercise for target in targets for exercise in course.resolve(target)}
    return list(course.ordered(chosen))


def _spelled(folder: Path) -> str:
    """The folder as the person would type it from here."""
    try:
        return str(folder.relative_to(Path.cwd())) or "."
    except ValueError:
        return str(folder)


def _publisher(course: Course, style: str, output: Path | None, folder: str) -> Callable[[Report], None]:
    def publish(report: Report) -> None:
        text = _rendered(report, course, style, folder)
        if output is None:
            click.echo(text, nl=False)
            return
        try:
            output.write_text(click.unstyle(text) if style == "text" else text, encoding="utf-8")
        except OSError as error:
            raise UserError(
                f"The report could not be written to {output}: {error.strerror}. Choose another -o FILE."
            ) from error
        click.echo(f"{report.earned} of {report.possible} points; the report is in {output}.", err=True)

    return publish


def _rendered(report: Report, course: Course, style: str, folder: str) -> str:
    if style == "json":
        return report.to_json()
    if style == "junit":
        from grader.render import junit

        return junit.render(report)
    if style == "html":
        from grader.render import html

        return html.render(report, course)
    from grader.cli.output import terminal_width
    from grader.render import text

    return text.render(report, course, folder, terminal_width(text.WIDTH))


def _untouched(submission: Submission, exercises: Sequence[Exercise], seed: int) -> Report | None:
    """The report if not one of the functions has been begun: no process need be started to tell."""
    from grader.untouched import untouched_report

    return untouched_report(submission, exercises, seed)


def _logger(course: Course) -> Callable[[Report], None]:
    def log(report: Report) -> None:
        from grader.cli.graded import log_grading

        log_grading(course, report)

    return log
