"""Inside the autograder's container: `python -m grader.export.autograding ROOT` grades ROOT/submission.

It writes ROOT/results/results.json whole or not at all. Exit code 0 whenever there is a verdict, 3 when there is none:
then the document has a sentence for the student and no score.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.atomic import write_bytes
from grader.course.load import load_course
from grader.course.model import Course, Exercise
from grader.errors import UserError
from grader.export.cells import plain
from grader.export.gradescope import FAULT, Extra, results, to_json, without_modules, without_score
from grader.export.handed_over import Metadata, NothingHandedIn, modules_folder, read_metadata
from grader.export.task import NAME, Task, read_task
from grader.report import Report
from grader.workspace import Submission, read_submission

if TYPE_CHECKING:
    from grader.grading import Grader

VERDICT, NO_VERDICT, USAGE = 0, 3, 2


def main(arguments: Sequence[str]) -> int:
    """`ROOT`: grade; `--check ROOT`: only look whether the assignment can be graded. Returns the exit code."""
    match arguments:
        case ["--check", root]:
            return _check(Path(root))
        case [root] if not root.startswith("-"):
            return autograde(Path(root))
    click.echo("Usage: python -m grader.export.autograding [--check] ROOT", err=True)
    return USAGE


def autograde(root: Path) -> int:
    """Grade what was handed in and write the results, whatever happens. Returns the exit code."""
    started = time.monotonic()
    metadata, trouble = read_metadata(root / "submission_metadata.json")
    if trouble:
        _tell(trouble)
    try:
        document = _graded(root, metadata)
    except Exception:  # whatever it is, it is told here, and the student gets a sentence in place of a score
        _tell(traceback.format_exc())
        document = without_score(FAULT, extra=_extra(metadata))
    document["execution_time"] = round(time.monotonic() - started, 3)
    try:
        write_bytes(root / "results" / "results.json", to_json(document))
    except UserError as error:
        _tell(str(error))
        return NO_VERDICT
    return VERDICT if "score" in document else NO_VERDICT


def _check(root: Path) -> int:
    try:
        exercises = _exercises(read_task(root / "source" / NAME), load_course())
    except UserError as error:
        _tell(f"Error: {error}")
        return USAGE
    _tell(f"Ready: {len(exercises)} exercises, {sum(exercise.points for exercise in exercises)} points.")
    return VERDICT


def _exercises(task: Task, course: Course) -> list[Exercise]:
    """What is asked. Raises UserError for a lesson that the course does not have."""
    lessons = {course.lesson(slug).slug for slug in task.lessons}
    return [exercise for exercise in course.exercises if exercise.lesson in lessons]


def _graded(root: Path, metadata: Metadata) -> dict[str, Any]:
    task, course, extra = read_task(root / "source" / NAME), load_course(), _extra(metadata)
    exercises = _exercises(task, course)
    try:
        folder = modules_folder(root / "submission", course)
    except NothingHandedIn as error:
        _tell(str(error))
        return without_modules(str(error), extra=extra)
    submission = read_submission(folder, course)
    report = _report(task, course, submission, exercises)
    report = replace(report, submission=metadata.submitters, held_out=task.held_out)
    _tell(f"{report.earned} of {report.possible} points. Protection: {report.protection}.")
    for exercise in report.exercises:
        if exercise.status == "grader_fault":
            _tell(f"{exercise.id}: {exercise.message}")
    return results(report, visibility=task.visibility, remarks=metadata.says, extra=extra)


def _report(task: Task, course: Course, submission: Submission, exercises: Sequence[Exercise]) -> Report:
    """Grade as `anatomy grade` does, but not behind a weak protection unless the assignment allows that."""
    from grader.untouched import untouched_report

    if untouched := untouched_report(submission, exercises, task.seed):
        return untouched
    from grader.desk import at_desk
    from grader.options import Options
    from grader.sandbox.level import require

    reports: list[Report] = []

    def body(grader: Grader) -> int:
        reports.append(grader.grade(submission, exercises))
        return VERDICT

    options = Options(task.seed, task.hide_expected, task.held_out)
    at_desk(
        course, submission, exercises, options, body,
        accept=lambda protection: require(protection.level, allow_weak=task.allow_weak),
    )  # fmt: skip
    return reports[0]


def _extra(metadata: Metadata) -> Extra:
    known = {"submission": metadata.id, "late_seconds": metadata.late}
    return {name: value for name, value in known.items() if value not in ("", None)}


def _tell(text: str) -> None:
    """To the autograder's output, which the staff reads and students do not."""
    click.echo(plain(text))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
