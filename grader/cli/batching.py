"""What `batch` and `regrade` share: a run from the submissions to grades, feedback and the gradebook."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.batch.changes import Change, changes, to_json
from grader.batch.collect import collect
from grader.batch.handed_in import UNREADABLE, Collection, Student
from grader.batch.hands import ClusterHands, Hands, LocalHands
from grader.batch.journal import JOURNAL, REPORTS, Journal
from grader.batch.naming import file_names
from grader.batch.order import Order
from grader.batch.outputs import (
    FEEDBACK,
    GRADES,
    OVERVIEW,
    clear_drafts,
    earlier_entries,
    keep_logs,
    publish,
    standing_entries,
)
from grader.batch.run import Ran, Run
from grader.cli.book import FILE
from grader.cli.output import print_json, visible, wrapped
from grader.cli.progress import progress
from grader.course.load import load_course
from grader.course.model import Course
from grader.errors import UserError
from grader.gradebook.assignment import Assignment, load_assignment, unnamed
from grader.gradebook.book import Gradebook

if TYPE_CHECKING:
    from grader.analysis.cohort import CohortSummary

SHOWN = 20
"""Of a list of troubles; of more, the number says enough."""


@dataclass(frozen=True)
class Workplace:
    """Where a run works. jobs: processes here, by default one a core; scheduler: a Dask scheduler's address."""

    jobs: int | None = None
    scheduler: str | None = None
    allow_weak: bool = False

    def hands(self, lessons: Sequence[str]) -> Hands:
        """Whoever grades. Raises UserError."""
        return ClusterHands(self.scheduler) if self.scheduler else LocalHands(lessons, self.jobs)


@dataclass(frozen=True)
class Done:
    """What a run came to."""

    collection: Collection
    ran: Ran
    changes: tuple[Change, ...]
    faults: int
    summary: CohortSummary

    @property
    def exit_code(self) -> int:
        """0: all graded; 1: something was refused or could not be read; 3: a fault of the grader's own."""
        return 3 if self.faults else 1 if self.ran.unreadable or self.collection.refused else 0


def carry_out(order: Order, out: Path, workplace: Workplace, *, again: bool = False) -> Done:
    """Grade what is not known yet, bring the gradebook up to date, write what people read. Raises UserError."""
    course = load_course()
    assignment = _assignment(order, course)
    lessons = assignment.lessons
    exercises = tuple(exercise.id for slug in lessons for exercise in course.lesson(slug).exercises)
    collection = collect(Path(order.submissions), course, lessons, order.prefix)
    click.echo(wrapped(visible(collection.says)), err=True)
    students = [student for handed in collection.submissions for student in handed.students]
    files = file_names(student.id for student in students)
    manner = order.manner(course, exercises, allow_weak=workplace.allow_weak)
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(out))
        clear_drafts(out)
        order.save(out)
        _say_what_is_damaged(journal)
        with progress("submissions") as tell:
            run = Run(
                course, manner, journal, files, lambda: workplace.hands(manner.lessons),
                tell=lambda ran: tell(ran.done, ran.total), keep_logs=keep_logs(out), again=again,
            )  # fmt: skip
            ran = _resumable(lambda: run(collection.submissions, len(collection.submissions)), journal)
        changed = tuple(changes(journal, ran.moved))
        faults = sum(journal.known[key].fault for key in ran.standing.values())
        try:
            book = stack.enter_context(Gradebook(order.db or str(out / FILE)))
            if order.assignment or assignment.id not in {each.id for each in book.assignments()}:
                book.put(assignment)  # without a file, what the gradebook knows of it stays as it is
            book.record(assignment.id, earlier_entries(journal, ran.standing), current=False)
            book.record(assignment.id, standing_entries(journal, ran.standing))
            standings = (each for each in book.standings(assignment.id) if each.student.id in ran.standing)
            summary = publish(
                out, standings, files, course, exercises, assignment.title, collection.refused
            )  # fmt: skip
        except UserError as error:
            raise UserError(
                f"{error} Nothing is lost: every verdict stands in {out / JOURNAL}. Run the same command again to "
                "bring gradebook, grades and feedback up to date."
            ) from error
    return Done(collection, ran, changed, faults, summary)


def _assignment(order: Order, course: Course) -> Assignment:
    if order.assignment:
        return load_assignment(Path(order.assignment), course)
    return unnamed(order.lessons, course)


def _resumable(run: Callable[[], Ran], journal: Journal) -> Ran:
    before = len(journal.known)
    try:
        return run()
    except KeyboardInterrupt:
        kept = len(journal.known) - before
        click.echo(f"\nStopped. {kept} graded by now are kept: the same command goes on from there.", err=True)
        raise


def _say_what_is_damaged(journal: Journal) -> None:
    if journal.damaged:
        lines = ", ".join(str(number) for number in journal.damaged[:SHOWN])
        click.echo(
            f"Note: {journal.folder / JOURNAL}: damaged and left out: line {lines}. What they held is graded anew.",
            err=True,
        )


def tell(done: Done, out: Path, style: str) -> None:
    """Print what came of a run."""
    if style == "json":
        print_json(_record(done, out))
        return
    ran = done.ran
    students = len(ran.standing)
    known = ran.done - ran.graded
    lines = [
        f"{_count(students, 'student')} graded: {_count(ran.graded, 'submission')} now, {known} known from before."
    ]
    if spread := done.summary.distribution:
        lines.append(f"{spread.mean:.1f} of {spread.possible} points on average.")
    click.echo("\n".join(lines))
    _list("Refused", [str(each) for each in done.collection.refused])
    _list(f"The {UNREADABLE}", [f"{_who(student)}: {why}" for student, why in ran.unreadable])
    _list("Left out", _by_reason(ran.ignored))
    if done.faults:
        click.echo(
            f"\n{_count(done.faults, 'submission')} met a fault of the grader's own, which costs no points: the "
            "reports say what happened, and the same command tries again."
        )
    click.echo(f"\nWritten to {out}: {GRADES}, {OVERVIEW}, {FEEDBACK}/, {REPORTS}/, {JOURNAL}.")


def tell_changes(done: Done, style: str) -> None:
    """Print whose points changed: before, after, why."""
    if style == "json":
        return
    click.echo("" if done.changes else "\nNothing has changed.")
    for change in done.changes:
        click.echo(
            f"{visible(_who(change.student))}: {change.before} -> {change.after} of {change.possible} ({change.why})"
        )
        for each in change.exercises:
            click.echo(f"  {each.id}: {each.earned_before} -> {each.earned} ({each.status_before} -> {each.status})")


def _by_reason(ignored: Sequence[tuple[str, str]]) -> list[str]:
    """What holds for many submissions (a README in each) is one line."""
    origins: dict[str, list[str]] = {}
    for origin, why in ignored:
        origins.setdefault(why, []).append(origin)
    return [
        f"{found[0]}: {why}" if len(found) == 1 else f"{why} (in {len(found)} submissions)"
        for why, found in origins.items()
    ]


def _who(student: Student) -> str:
    return f"{student.name} ({student.id})" if student.name and student.name != student.id else student.id


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"


def _list(title: str, lines: Sequence[str]) -> None:
    if not lines:
        return
    click.echo(f"\n{title}:")
    for line in lines[:SHOWN]:
        click.echo(f"  {visible(line)}")
    if len(lines) > SHOWN:
        click.echo(f"  and {len(lines) - SHOWN} more (--format json names all)")


def _record(done: Done, out: Path) -> dict[str, Any]:
    ran = done.ran
    return {
        "version": 1,
        "out": str(out),
        "layout": done.collection.layout,
        "says": done.collection.says,
        "students": len(ran.standing),
        "graded": ran.graded,
        "known": ran.done - ran.graded,
        "faults": done.faults,
        "refused": [asdict(each) for each in done.collection.refused],
        "unreadable": [{"student": student.id, "why": why} for student, why in ran.unreadable],
        "ignored": [{"what": origin, "why": why} for origin, why in ran.ignored],
        "changes": [to_json(change) for change in done.changes],
    }
