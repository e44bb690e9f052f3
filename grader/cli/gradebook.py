"""`anatomy gradebook`: what counts, how it came to that, and what an instructor decides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.book import assignment_option, book_options, chosen, open_book, student_id
from grader.cli.gradebook_decide import extend, override, submitted, withdraw
from grader.cli.gradebook_export import export
from grader.cli.gradebook_records import assignment_record, change_record, plain, short, standing_record, whole
from grader.cli.output import Row, Table, format_option, print_json, print_table, visible, wrapped
from grader.course.load import load_course

if TYPE_CHECKING:
    from grader.gradebook.assignment import Assignment
    from grader.gradebook.book import Gradebook
    from grader.gradebook.standing import Standing

_NAMED = 10
"""Students that one sentence names; the others are counted."""


@click.group("gradebook")
def gradebook_() -> None:
    """Show what counts and how it came to that; extend a due time, set points; write files for platforms.

    Nothing in a gradebook is ever changed or removed: what you take back stays in the history. Keep a backup of it: the
    verdicts stand in the run's folder too, but what people decided stands nowhere else.
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
        click.echo(wrapped(whole(str(known))) + "\n")
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

    click.echo(f"{visible(student)} in {visible(known.title)} ({known.id})")
    for change in changes:
        who = f" by {visible(change.who)}" if change.who else ""
        gone = " (withdrawn later)" if change.withdrawn else ""
        click.echo(f"\n{change.number}  {told(change.at, known.zone)}{who}")
        click.echo(wrapped(f"   {whole(change.says)}{gone}"))
        if change.reason:
            click.echo(wrapped(f"   reason: {whole(change.reason)}"))
        if change.before != change.after:
            before = "nothing" if change.before is None else plain(change.before)
            after = "nothing" if change.after is None else plain(change.after)
            click.echo(f"   points: {before} -> {after}")


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
        click.echo(wrapped(whole(str(each))))


def _show(book: Gradebook, assignment: Assignment) -> None:
    rows, told = [], _Told()
    for standing in book.standings(assignment.id):
        student = short(standing.student.id)
        cells = (student, short(standing.student.name), plain(standing.final), str(standing.possible))
        rows.append(Row((*cells, "; ".join(told.of(student, standing)))))
    if not rows:
        click.echo("Nothing has been graded yet.")
        return
    print_table(Table(("Student", "Name", "Points", "Of", "Notes"), rows, right=frozenset({"Points", "Of"})))
    for paragraph in told.paragraphs(assignment):
        click.echo("\n" + wrapped(paragraph))


@dataclass
class _Told:
    """What is said of single students, and then of all of a kind together."""

    undecided: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    timeless: int = 0

    def of(self, student: str, standing: Standing) -> Iterator[str]:
        """The notes on one student."""
        late, report = standing.late, standing.report
        whole_by_hand = any(each.exercise is None for each in standing.overrides)
        if late.says and late.seconds is None:
            self.undecided.append(student)
            yield "late, nobody knows how much"
        elif late.seconds is None and not whole_by_hand:
            self.timeless += 1
        elif late.share:
            yield f"late, -{plain(late.share * 100)} %"
        elif late.seconds:
            yield "late"
        if standing.overrides:
            yield "set by " + ", ".join(dict.fromkeys(visible(each.by) for each in standing.overrides))
        if standing.damaged:
            self.damaged.append(student)
            yield "record damaged"
        elif report.fault:
            self.faults.append(student)
            yield "grader fault"

    def paragraphs(self, assignment: Assignment) -> Iterator[str]:
        """What is to be known or decided, a paragraph each."""
        if self.undecided:
            says = "Marked late by the platform, nobody knows how much, so nothing was taken away:"
            yield (
                f"{says} {_some(self.undecided)}. Enter the time with `anatomy gradebook submitted`, or set points "
                "with `anatomy gradebook override`."
            )
        if self.timeless and assignment.due is not None:
            many = "1 submission has" if self.timeless == 1 else f"{self.timeless} submissions have"
            yield f"{many} no time of handing in: taken as in time."
        if self.faults:
            yield f"A fault of the grader's own kept these from a verdict: {_some(self.faults)}. Grade them again."
        if self.damaged:
            yield (
                f"The record of what was graded is damaged: {_some(self.damaged)}. Nobody else is concerned. `anatomy "
                "regrade DIR`, with the folder of the run, replaces it; until then exports leave their grades out."
            )


def _some(students: Sequence[str]) -> str:
    more = f" and {len(students) - _NAMED} more" if len(students) > _NAMED else ""
    return ", ".join(students[:_NAMED]) + more


for command in (extend, submitted, override, withdraw, export):
    gradebook_.add_command(command)
