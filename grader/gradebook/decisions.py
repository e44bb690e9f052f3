"""What a person decides, as lines of the ledger. Each works within one transaction that is alone in writing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, select

from grader.batch.handed_in import Student
from grader.errors import UserError
from grader.gradebook.account import EXTENSION, OVERRIDE, SUBMITTED, WITHDRAWABLE, WITHDRAWAL, Account, Change, says
from grader.gradebook.assignment import Assignment
from grader.gradebook.lines import line_of, lines_of
from grader.gradebook.moments import told
from grader.gradebook.people import refuse_stranger, was_graded, whole_id
from grader.gradebook.recording import next_number
from grader.gradebook.schema import ledger
from grader.gradebook.texts import as_json, key_of, quoted, stored
from grader.gradebook.why import HandIn

MOST_POINTS = Decimal(1_000_000)
_CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Signed:
    """Why, and who decides. Raises UserError for one that is blank."""

    reason: str
    by: str

    def __post_init__(self) -> None:
        for what, text in (("a reason", self.reason), ("a name", self.by)):
            if not text.strip():
                raise UserError(f"A decision needs {what}, which the history shows. Nothing was written.")


@dataclass(frozen=True, slots=True)
class Decisions:
    """Decisions on one assignment, within a transaction."""

    connection: Connection
    now: Callable[[], datetime]
    assignment: Assignment

    def extend(self, student: str, until: datetime, signed: Signed) -> int:
        """Another due moment for one student. Raises UserError if it is not later than the assignment's own."""
        known = self.assignment
        if known.due is None:
            raise UserError(f"{known.id} has no due time, so there is nothing to extend.")
        if until <= known.due:
            due = told(known.due, known.zone)
            raise UserError(f"{told(until, known.zone)} is no extension: {known.id} is due {due}. Name a later time.")
        return self._write(EXTENSION, Student(student), signed, {"until": until})

    def submitted(self, student: str, at: datetime, signed: Signed) -> int:
        """When a student handed in what was graded. Raises UserError for one of whom nothing was graded."""
        if not was_graded(self.connection, self.assignment.id, student):
            refuse_stranger(self.connection, self.assignment.id, student)
        return self._write(SUBMITTED, Student(student), signed, {"until": at})

    def override(self, student: str, exercise: str | None, points: Decimal, signed: Signed, name: str | None) -> int:
        """Points set by hand. Raises UserError for points that are none, and for a student of whom there is nothing,
        unless the name is given."""
        _check(points)
        if was_graded(self.connection, self.assignment.id, student):
            if name is not None:
                raise UserError(
                    f"{quoted(student)} was graded, and the name comes from what was handed in. Leave the name out."
                )
        elif name is None and not self._by_hand(student):
            refuse_stranger(
                self.connection, self.assignment.id, student,
                " To enter points of somebody of whom nothing was graded, give --name too.",
            )  # fmt: skip
        values = {"exercise": None if exercise is None else stored(exercise), "hundredths": int(points * 100)}
        return self._write(OVERRIDE, Student(student, name or ""), signed, values)

    def _by_hand(self, student: str) -> bool:
        query = select(ledger.c.number).where(ledger.c.assignment == self.assignment.id, ledger.c.kind == OVERRIDE)
        return self.connection.execute(query.where(ledger.c.student == key_of(student)).limit(1)).first() is not None

    def _write(self, kind: str, student: Student, signed: Signed, values: dict[str, Any]) -> int:
        # The whole id is kept beside its key, which may be cut off.
        whose = {"handed_in": as_json(HandIn(student, None, late=False).to_dict())}
        place = (self.assignment.id, key_of(student.id))
        return write(self.connection, self.now(), kind, place, signed.reason, signed.by, values | whose)


def withdraw(connection: Connection, now: datetime, number: int, signed: Signed) -> tuple[str, Callable[..., Change]]:
    """Take a decision back. Returns the assignment, and what makes of it as it is now the change that was withdrawn."""
    row = connection.execute(select(ledger).where(ledger.c.number == number)).one_or_none()
    if row is None or row.kind not in WITHDRAWABLE:
        raise UserError(
            f"Number {number} is no decision on one student (points, extension or time). `history` shows the numbers."
        )
    if connection.execute(select(ledger.c.number).where(ledger.c.withdraws == number)).first():
        raise UserError(f"Number {number} has been withdrawn already.")
    place = (row.assignment, row.student)
    write(connection, now, WITHDRAWAL, place, signed.reason, signed.by, {"withdraws": number})
    taken, student = line_of(row), whole_id(row.student, lines_of(connection, *place))

    def change(assignment: Assignment) -> Change:
        account = Account()
        account.assignment = assignment
        what = f"{quoted(student)} in {assignment.id}: {says(taken, account)}"
        return Change(number, taken.kind, taken.at, what, taken.reason, taken.who, None, None, withdrawn=True)

    return row.assignment, change


def write(
    connection: Connection, now: datetime, kind: str, place: tuple[str, str | None], reason: str, by: str,
    values: dict[str, Any],
) -> int:  # fmt: skip
    """A line of the ledger. place: the assignment, and the student's key. Returns its number."""
    number = next_number(connection)
    assignment, student = place
    row = {"number": number, "kind": kind, "assignment": assignment, "student": student, "at": now}
    connection.execute(ledger.insert(), row | {"who": stored(by), "reason": stored(reason)} | values)
    return number


def _check(points: Decimal) -> None:
    told_ = quoted(str(points), marks=False)
    if points.is_finite() and points > MOST_POINTS:
        raise UserError(f"{told_} points are too many. Write a number from 0 to {MOST_POINTS}.")
    if not points.is_finite() or points < 0 or points != points.quantize(_CENT):
        raise UserError(f"{told_} are no points. Write a number from 0 to {MOST_POINTS}, with at most two decimals.")
