"""Rows of the database as the ledger's lines, and a student's lines as the history that a person reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Row, Select, or_, select

from grader.gradebook.account import GRADED, STANDING, Account, Change, Line, says
from grader.gradebook.assignment import Assignment
from grader.gradebook.missing import damaged_report, unseen_report
from grader.gradebook.schema import gradings, ledger
from grader.gradebook.texts import original, stored, unpacked
from grader.gradebook.why import HandIn
from grader.report import Report


def assignment_lines(connection: Connection, id_: str | None = None) -> list[Line]:
    """The lines that made or changed assignments, or the one of that id, in order."""
    query = select(ledger).where(ledger.c.student.is_(None)).order_by(ledger.c.number)
    query = query.where(ledger.c.assignment == stored(id_)) if id_ is not None else query
    return [line_of(row) for row in connection.execute(query)]


def ledger_of(assignment: str, students: Sequence[str]) -> Select[Any]:
    """The lines of these students and of the assignment itself, in order."""
    whose = or_(ledger.c.student.in_(list(students)), ledger.c.student.is_(None))
    query = select(ledger, gradings.c.submission).outerjoin(gradings, ledger.c.grading == gradings.c.number)
    return query.where(ledger.c.assignment == assignment, whose).order_by(ledger.c.number)


def lines_of(connection: Connection, assignment: str, student: str) -> list[Line]:
    """The lines of the student with that key, in order."""
    query = select(ledger).where(ledger.c.assignment == assignment, ledger.c.student == student)
    return [line_of(row) for row in connection.execute(query.order_by(ledger.c.number))]


def line_of(row: Row[Any]) -> Line:
    """A row of the ledger."""
    return Line(
        row.number,
        row.kind,
        row.at,
        original(row.who),
        original(row.reason),
        Assignment.from_dict(json.loads(row.definition)) if row.definition is not None else None,
        row.grading,
        HandIn.from_dict(json.loads(row.handed_in)) if row.handed_in is not None else None,
        row.until,
        original(row.exercise) if row.exercise is not None else None,
        Decimal(row.hundredths).scaleb(-2) if row.hundredths is not None else None,
        row.withdraws,
        getattr(row, "submission", None),  # where the query asked for it
    )


def report_of(content: bytes) -> Report | None:
    """The report of a grading; None for one that is damaged."""
    try:
        return Report.from_dict(unpacked(content))
    except (ValueError, TypeError, AttributeError):
        return None


def _points(account: Account, graded: Mapping[int, Row[Any]]) -> Decimal | None:
    """What counts so far, also where the report is damaged: what was earned stands beside it."""
    report, earned = unseen_report(()), None
    if account.grading is not None:
        row = graded[account.grading]
        found = report_of(row.report)
        report, earned = (found, None) if found else (damaged_report(()), row.earned)
    standing = account.standing(report, earned)
    return standing.final if standing else None


def history_of(lines: Sequence[Line], graded: Sequence[Row[Any]]) -> tuple[Change, ...]:
    """A student's lines and gradings as changes, each with the points before and after."""
    rows = {row.number: row for row in graded}
    counted = {line.grading for line in lines}
    withdrawn = {line.withdraws for line in lines}
    events: list[tuple[int, Line | Row[Any]]] = [(line.number, line) for line in lines]
    events += [(row.number, row) for row in graded if row.number not in counted]
    account, before, changes = Account(), None, []
    for number, event in sorted(events, key=lambda event: event[0]):
        if not isinstance(event, Line):
            why = "graded, not for what counts"
            if event.fault:
                why = "graded with a fault of the grader's own, which does not count"
            changes.append(Change(number, GRADED, event.recorded.astimezone(UTC), why, "", "", before, before))
            continue
        told_ = says(event, account)
        account.read(event)
        after = _points(account, rows)
        what, reason = (event.reason, "") if event.kind == STANDING else (told_, event.reason)
        gone = event.number in withdrawn
        changes.append(Change(number, event.kind, event.at, what, reason, event.who, before, after, gone))
        before = after
    return tuple(changes)
