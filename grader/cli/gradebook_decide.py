"""What an instructor decides on one student: a later due time, the time of handing in, points; and taking it back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.cli.book import assignment_option, book_options, chosen, open_book, student_id
from grader.cli.gradebook_records import change_record, parsed_points, plain
from grader.cli.output import format_option, print_json, visible
from grader.course.load import load_course
from grader.errors import UserError

if TYPE_CHECKING:
    from grader.gradebook.account import Change
    from grader.gradebook.assignment import Assignment

_Command = TypeVar("_Command", bound=Callable[..., Any])


def signed(command: _Command) -> _Command:
    """The options of every decision: why, by whom, and on what."""
    for option in (
        format_option,
        book_options,
        assignment_option,
        click.option("--by", required=True, metavar="NAME", help="Who decides; the history shows it."),
        click.option("--reason", required=True, help="Why; the history shows it, and no page for students."),
    ):
        command = option(command)
    return command


@click.command(short_help="Move one student's due time.")
@click.argument("student", metavar="STUDENT")
@click.option("--until", required=True, metavar="WHEN", help="As 2026-03-01 23:59 in the assignment's time zone.")
@signed
def extend(
    student: str, until: str, reason: str, by: str, assignment: str | None, out: Path | None, db: str | None,
    format_: str,
) -> None:  # fmt: skip
    """Move the due time of STUDENT (an id), who need not have handed in yet.

    An extension given later takes the place of an earlier one.
    """
    from grader.gradebook.moments import told

    with open_book(out, db) as book:
        known = chosen(book, assignment)
        student = student_id(book, known, student)
        when = _when("--until", until, known)
        number = book.extend(known.id, student, when, reason, by)
        new = book.history(known.id, student)[-1]
    if format_ == "json":
        print_json({"version": 1, "assignment": known.id, "student": student, "change": change_record(new)})
        return
    says = f"Number {number}: {visible(student)} may hand in {known.id} until {told(when, known.zone)}."
    click.echo(says + _moved(new))
    if new.after is None:
        click.echo("Note: nothing of that student was graded yet; check the id if you expected something.", err=True)


@click.command(short_help="Set when a student handed in.")
@click.argument("student", metavar="STUDENT")
@click.option("--at", required=True, metavar="WHEN", help="As 2026-03-01 23:59 in the assignment's time zone.")
@signed
def submitted(
    student: str, at: str, reason: str, by: str, assignment: str | None, out: Path | None, db: str | None, format_: str
) -> None:
    """Set when STUDENT (an id) handed in, where the platform does not say it or says only that it was late.

    It holds for the submission that counts now: what is handed in later has a time of its own. A later one takes the
    place of an earlier one.
    """
    from grader.gradebook.moments import told

    with open_book(out, db) as book:
        known = chosen(book, assignment)
        student = student_id(book, known, student)
        when = _when("--at", at, known)
        number = book.submitted(known.id, student, when, reason, by)
        new = book.history(known.id, student)[-1]
        late = book.standing(known.id, student).late
    if format_ == "json":
        print_json({"version": 1, "assignment": known.id, "student": student, "change": change_record(new)})
        return
    says = f"Number {number}: {visible(student)} handed in {known.id} on {told(when, known.zone)}."
    click.echo(f"{says}{f' {late.says}' if late.says else ''}{_moved(new)}")


@click.command(short_help="Set one student's points.")
@click.argument("student", metavar="STUDENT")
@click.argument("what", metavar="[EXERCISE] POINTS", nargs=-1, required=True)
@click.option("--name", help="Of a student of whom nothing was graded: an oral exam, or a 0 for nothing handed in.")
@signed
def override(
    student: str, what: tuple[str, ...], name: str | None, reason: str, by: str, assignment: str | None,
    out: Path | None, db: str | None, format_: str,
) -> None:  # fmt: skip
    """Set the POINTS of STUDENT (an id) for one exercise, or for the whole assignment.

    From points for the whole nothing is taken for being late. A later one takes the place of an earlier one. They stay
    also where something is handed in or graded later: `withdraw` takes them back.
    """
    if len(what) > 2:
        raise UserError("Give STUDENT, an EXERCISE or none, and POINTS; a name with spaces needs quotes.")
    exercise, points = what if len(what) == 2 else (None, what[0])
    given = parsed_points(points)
    with open_book(out, db) as book:
        known = chosen(book, assignment)
        student = student_id(book, known, student)
        target = _exercise(exercise, known) if exercise is not None else None
        number = book.override(known.id, student, target, given, reason, by, name)
        new = book.history(known.id, student)[-1]
        standing = book.standing(known.id, student)
    if format_ == "json":
        print_json({"version": 1, "assignment": known.id, "student": student, "change": change_record(new)})
        return
    says = f"Number {number}: {visible(student)} has {plain(given)} points for {target or 'the whole assignment'}."
    click.echo(says + _moved(new))
    if target and standing.late.says:
        click.echo(f"Note: {standing.late.says}", err=True)
    most = {result.id: result.possible for result in standing.report.exercises}.get(target or "", standing.possible)
    if given > most:
        click.echo(f"Note: that is more than the {most} that are possible.", err=True)


@click.command(short_help="Take back points, a time or an extension.")
@click.argument("number", metavar="NUMBER", type=int)
@click.option("--reason", required=True, help="Why; the history shows it.")
@click.option("--by", required=True, metavar="NAME", help="Who decides; the history shows it.")
@book_options
@format_option
def withdraw(number: int, reason: str, by: str, out: Path | None, db: str | None, format_: str) -> None:
    """Take back a decision on one student, by the NUMBER that `history` shows. What was before it counts again."""
    with open_book(out, db) as book:
        taken = book.withdraw(number, reason, by)
    if format_ == "json":
        print_json({"version": 1, "withdrawn": change_record(taken)})
        return
    click.echo(f"Withdrawn: {visible(taken.says)}.")


def _when(option: str, text: str, assignment: Assignment) -> datetime:
    from grader.gradebook.moments import moment

    try:
        return moment(text, assignment.zone)
    except ValueError as error:
        raise UserError(f"{option}: {error}.") from None


def _exercise(typed: str, assignment: Assignment) -> str:
    exercise = load_course().resolve_exercise(typed)
    if exercise.lesson not in assignment.lessons:
        lessons = ", ".join(assignment.lessons)
        raise UserError(f"{exercise.id} is not part of {assignment.id}, which asks for {lessons}.")
    return exercise.id


def _moved(change: Change) -> str:
    if change.after is None:
        return ""
    if change.before == change.after:
        return f" Points: {plain(change.after)}, as before."
    before = "nothing" if change.before is None else plain(change.before)
    return f" Points: {before} -> {plain(change.after)}."
