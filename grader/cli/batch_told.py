"""What `batch` and `regrade` print when a run is over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from grader.batch.changes import Change, to_json
from grader.batch.handed_in import UNREADABLE, Collection, Student
from grader.batch.journal import JOURNAL, REPORTS
from grader.batch.outputs import FEEDBACK, FINAL, GRADES, OVERVIEW, Published
from grader.batch.run import Ran
from grader.cli.output import print_json, visible, wrapped

SHOWN = 20
"""Of a list of troubles; of more, the number says enough."""


@dataclass(frozen=True)
class Done:
    """What a run came to. gone: students whom the gradebook knows and the submissions do not; unasked: lessons of which
    nobody has handed in anything."""

    collection: Collection
    ran: Ran
    changes: tuple[Change, ...]
    faults: int
    published: Published
    gone: tuple[str, ...]
    unasked: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """0: all graded; 1: something was refused or could not be read; 3: a fault of the grader's own."""
        refused = any(not each.ordinary for each in self.collection.refused)
        return 3 if self.faults else 1 if refused or self.ran.unreadable or self.ran.out_of_reach else 0


def tell(done: Done, out: Path, style: str) -> None:
    """Print what came of a run."""
    if style == "json":
        print_json(_record(done, out))
        return
    ran, published = done.ran, done.published
    known = ran.done - ran.graded
    now = _count(ran.graded, "submission")
    lines = [f"{_count(len(ran.standing), 'student')} graded: {now} now, {known} known from before."]
    if spread := published.summary.distribution:
        lines.append(f"{spread.mean:.1f} of {spread.possible} points on average.")
    click.echo("\n".join(lines))
    for slug in done.unasked:
        click.echo(wrapped(f"Nobody has handed in {slug}.py. Is another lesson meant? (--lesson)"))
    refused = done.collection.refused
    _list("Refused", [str(each) for each in refused if not each.ordinary])
    _list(f"The {UNREADABLE}", [f"{_who(student)}: {why}" for student, why in ran.unreadable])
    _list(
        "Not readable on this machine now, so what stood before counts",
        [f"{_who(student)}: {why}" for student, why in ran.out_of_reach],
    )
    _list("Could not be run", [f"{_who(student)}: {why}" for student, why in published.broken])
    _list("Earlier attempts, which do not count", [str(each) for each in refused if each.ordinary])
    _list("Notes on files", _by_reason(ran.ignored))
    _list("Graded before and not among the submissions now; their points stay in the gradebook", done.gone)
    if done.faults:
        click.echo(
            f"\n{_count(done.faults, 'submission')} met a fault of the grader's own, which costs no points: the "
            "reports say what happened, and the same command tries again."
        )
    click.echo(
        wrapped(
            f"\nWritten to {out}: {FINAL} (what counts), {GRADES} (points of the tests), {OVERVIEW}, {FEEDBACK}/, "
            f"{REPORTS}/, {JOURNAL}. The gradebook: {published.book}."
        )
    )


def tell_changes(done: Done, style: str) -> None:
    """Print whose points or verdicts changed: before, after, why. Points are those of the tests."""
    if style == "json":
        return
    moved = [change for change in done.changes if change.exercises]
    same = len(done.changes) - len(moved)
    click.echo("" if done.changes else "\nNothing has changed.")
    for change in moved:
        click.echo(
            f"{visible(_who(change.student))}: {change.before} -> {change.after} of {change.possible} ({change.why})"
        )
        for each in change.exercises:
            click.echo(f"  {each.id}: {each.earned_before} -> {each.earned} ({each.status_before} -> {each.status})")
    if same:
        click.echo(f"{_count(same, 'student')} judged again, with the same points.")


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
        "gradebook": done.published.book,
        "gone": list(done.gone),
        "lessons_not_handed_in": list(done.unasked),
        "out_of_reach": [{"student": student.id, "why": why} for student, why in ran.out_of_reach],
        "could_not_be_run": [{"student": student.id, "why": why} for student, why in done.published.broken],
        "refused": [asdict(each) for each in done.collection.refused],
        "unreadable": [{"student": student.id, "why": why} for student, why in ran.unreadable],
        "ignored": [{"what": origin, "why": why} for origin, why in ran.ignored],
        "changes": [to_json(change) for change in done.changes],
    }
