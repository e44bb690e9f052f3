"""`anatomy gradebook`: what counts, how it came to that, and what an instructor decides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.book import assignment_option, book_options, chosen, open_book, student_id
from grader.cli.gradebook_export import export
from grader.cli.gradebook_records import assignment_record, change_record, parsed_points, plain, standing_record
from grader.cli.output import Row, Table, format_option, print_json, print_table, visible, wrapped
from grader.course.load import load_course
from grader.errors import UserError

if TYPE_CHECKING:
    from grader.gradebook.account import Change
    from grader.gradebook.assignment import Assignment
    from grader.gradebook.book import Gradebook

_NAMED = 10
"""Students that one sentence names; the others are counted."""

reason_option = click.option("--reason", required=True, help="Why; the history shows it.")
by_option = click.option("--by", required=True, metavar="NAME", help="Who decides; the history shows it.")


@click.group("gradebook")
def gradebook_() -> None:
    """Show what counts and how it came to that; extend a due time, set points; write files for platforms.

    Nothing in a gradebook is ever changed or removed: what you take back stays in the history.
    """


@gradebook_.command(short_help="What each student has.")
@assignment_option
@book_options
@format_option
def show(assignment: str | None, out: Path | None, db: str | None, format_: str) -> None:
    """Show what each student has.

    In JSON, points that count are numbers with at most two decimals, exact as they are written.
    """
    with open_book(out, db) as book:
        known = chosen(book, assignment)
        if format_ == "json":
            students = [standing_record(standing) for standing in book.standings(known.id)]
            print_json({"version": 1, "assignment": assignment_record(known), "students": students})
            return
        click.echo(wrapped(visible(str(known))) + "\n")
        _show(book, known)


@gradebook_.command(short_help="How a student came to the points.")
@click.argument("student", metavar="STUDENT")
@assignment_option
@book_options
@format_option
def history(student: str, assignment: str | None, out: Path | None, db: str | None, format_: str) -> None:
    """Show how STUDENT (an id) came to the points: every grading and decision, with the points before and after."""
    with open_book(out, db) as book:
        known = chosen(book, assignment)
        student = student_id(book, known, student)
        changes = book.history(known.id, student)
    if format_ == "json":
        records = [change_record(change) for change in changes]
        print_json({"version": 1, "assignment": known.id, "student": student, "changes": records})
        return
    from grader.gradebook.moments import told

    click.echo(f"{visible(student)} in {known.title} ({known.id})")
    for change in changes:
        who = f" by {visible(change.who)}" if change.who else ""
        gone = " (withdrawn later)" if change.withdrawn else ""
        click.echo(f"\n{change.number}  {told(change.at, known.zone)}{who}")
        click.echo(f"   {visible(change.says)}{gone}")
        if change.reason:
            click.echo(f"   reason: {visible(change.reason)}")
        if change.before != change.after:
            before = "nothing" if change.before is None else plain(change.before)
            after = "nothing" if change.after is None else plain(change.after)
            click.echo(f"   points: {before} -> {after}")


@gradebook_.command(short_help="Move one student's due time.")
@click.argument("student", metavar="STUDENT")
@click.option("--until", required=True, metavar="WHEN", help="As 2026-03-01 23:59 in the assignment's time zone.")
@reason_option
@by_option
@assignment_option
@book_options
@format_option
def extend(
    student: str,
    until: str,
    reason: str,
    by: str,
    assignment: str | None,
    out: Path | None,
    db: str | None,
    format_: str,
) -> None:
    """Move the due time of STUDENT (an id), who need not have handed in yet.

    An extension given later takes the place of an earlier one.
    """
    from grader.gradebook.moments import moment, told

    with open_book(out, db) as book:
        known = chosen(book, assignment)
        student = student_id(book, known, student)
        try:
            when = moment(until, known.zone)
        except ValueError as error:
            raise UserError(f"--until: {error}.") from None
        number = book.extend(known.id, student, when, reason, by)
        new = book.history(known.id, student)[-1]
        graded = new.after is not None
    if format_ == "json":
        print_json({"version": 1, "assignment": known.id, "student": student, "change": change_record(new)})
        return
    says = f"Number {number}: {visible(student)} may hand in {known.id} until {told(when, known.zone)}."
    click.echo(says + _moved(new))
    if not graded:
        click.echo("Note: nothing of that student was graded yet; check the id if you expected something.", err=True)


@gradebook_.command(short_help="Set one student's points.")
@click.argument("student", metavar="STUDENT")
@click.argument("what", metavar="[EXERCISE] POINTS", nargs=-1, required=True)
@reason_option
@by_option
@assignment_option
@book_options
@format_option
def override(
    student: str,
    what: tuple[str, ...],
    reason: str,
    by: str,
    assignment: str | None,
    out: Path | None,
    db: str | None,
    format_: str,
) -> None:
    """Set the POINTS of STUDENT (an id) for one exercise, or for the whole assignment.

    From points for the whole nothing is taken for being late. A later one takes the place of an earlier one.
    """
    if len(what) > 2:
        raise UserError("Give STUDENT, an EXERCISE or none, and POINTS; a name with spaces needs quotes.")
    exercise, points = what if len(what) == 2 else (None, what[0])
    given = parsed_points(points)
    with open_book(out, db) as book:
        known = chosen(book, assignment)
        student = student_id(book, known, student)
        target = _exercise(exercise, known) if exercise is not None else None
        number = book.override(known.id, student, target, given, reason, by)
        new = book.history(known.id, student)[-1]
        standing = book.standing(known.id, student)
    if format_ == "json":
        print_json({"version": 1, "assignment": known.id, "student": student, "change": change_record(new)})
        return
    says = f"Number {number}: {visible(student)} has {plain(given)} points for {target or 'the whole assignment'}."
    click.echo(says + _moved(new))
    most = {result.id: result.possible for result in standing.report.exercises}.get(target or "", standing.possible)
    if given > most:
        click.echo(f"Note: that is more than the {most} that are possible.", err=True)


@gradebook_.command(short_help="Take back an override or an extension.")
@click.argument("number", metavar="NUMBER", type=int)
@reason_option
@by_option
@book_options
@format_option
def withdraw(number: int, reason: str, by: str, out: Path | None, db: str | None, format_: str) -> None:
    """Take back an override or an extension, by the NUMBER that `history` shows. What was before it counts again."""
    with open_book(out, db) as book:
        taken = book.withdraw(number, reason, by)
    if format_ == "json":
        print_json({"version": 1, "withdrawn": change_record(taken)})
        return
    click.echo(f"Withdrawn: {visible(taken.says)}.")


@gradebook_.command(short_help="The assignments; --set stores one.")
@click.option(
    "--set", "file", metavar="FILE.yaml", type=click.Path(path_type=Path), help="Store this one, or change it."
)
@click.option("--reason", default="", help="Why it changes; the history shows it.")
@click.option("--by", default="", metavar="NAME", help="Who changes it.")
@book_options
@format_option
def assignments(file: Path | None, reason: str, by: str, out: Path | None, db: str | None, format_: str) -> None:
    """Show the assignments with their due times and late policies; --set stores one.

    FILE.yaml, of which only id and title must be there:

    \b
        id: week-3
        title: Attention
        lessons: [attention, heads]   # or all
        due: 2026-03-01 23:59         # what the clocks of the zone show
        zone: Europe/Zurich
        late: {per_day: 10, grace: 15, cut_off: 5, least: 20}   # or none

    per_day: percent of the earned points for each begun day (24 hours); grace: minutes that are forgiven, after which
    the full lateness counts; cut_off: days after which nothing counts; least: percent that stay until then.
    """
    changed = None
    made = None
    if file is not None:
        from grader.gradebook.assignment import load_assignment

        made = load_assignment(file, load_course())
    with open_book(out, db, create=made is not None) as book:
        if made is not None:
            changed = book.put(made, reason, by)
        there = book.assignments()
    if format_ == "json":
        print_json({"version": 1, "assignments": [assignment_record(each) for each in there]})
        return
    if made is not None:
        click.echo(f"{'Stored' if changed else 'No change in'} {made.id}.\n")
    if not there:
        click.echo("There is none yet. `anatomy gradebook assignments --set FILE.yaml` stores one.")
    for each in there:
        click.echo(wrapped(visible(str(each))))


def _exercise(typed: str, assignment: Assignment) -> str:
    exercise = load_course().resolve_exercise(typed)
    if exercise.lesson not in assignment.lessons:
        lessons = ", ".join(assignment.lessons)
        raise UserError(f"{exercise.id} is not part of {assignment.id}, which asks for {lessons}.")
    return exercise.id


def _moved(change: Change) -> str:
    if change.before is None or change.after is None or change.before == change.after:
        return ""
    return f" Points: {plain(change.before)} -> {plain(change.after)}."


def _show(book: Gradebook, assignment: Assignment) -> None:
    rows, undecided, timeless, faults = [], [], 0, []
    for standing in book.standings(assignment.id):
        student = visible(standing.student.id)
        notes = []
        if standing.late.seconds is None:
            timeless += 1
            if standing.late.says:
                undecided.append(student)
                notes.append("late, nobody knows how much")
        elif standing.late.seconds:
            notes.append(f"late, -{plain(standing.late.share * 100)} %")
        if standing.overrides:
            notes.append("set by " + ", ".join(dict.fromkeys(visible(each.by) for each in standing.overrides)))
        if standing.report.fault:
            faults.append(student)
            notes.append("grader fault")
        cells = (
            student,
            visible(standing.student.name),
            plain(standing.final),
            str(standing.possible),
            "; ".join(notes),
        )
        rows.append(Row(cells))
    if not rows:
        click.echo("Nothing has been graded yet.")
        return
    print_table(Table(("Student", "Name", "Points", "Of", "Notes"), rows, right=frozenset({"Points", "Of"})))
    _notes(assignment, undecided, timeless - len(undecided), faults)


def _notes(assignment: Assignment, undecided: Sequence[str], timeless: int, faults: Sequence[str]) -> None:
    if undecided:
        says = f"Marked late by the platform, nobody knows how much, so nothing was taken away: {_some(undecided)}."
        click.echo("\n" + wrapped(f"{says} Decide with `anatomy gradebook override`."))
    if timeless and assignment.due is not None:
        many = "1 submission has" if timeless == 1 else f"{timeless} submissions have"
        click.echo("\n" + wrapped(f"{many} no time of handing in: taken as in time."))
    if faults:
        says = f"A fault of the grader's own kept these from a verdict: {_some(faults)}. Grade them again."
        click.echo("\n" + wrapped(says))


def _some(students: Sequence[str]) -> str:
    more = f" and {len(students) - _NAMED} more" if len(students) > _NAMED else ""
    return ", ".join(students[:_NAMED]) + more


gradebook_.add_command(export)
