"""The gradebook: every grading, what of it counts, and who decided what. Nothing in it is ever changed or removed."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, select

from grader.errors import UserError
from grader.gradebook.account import (
    ASSIGNMENT,
    EXTENSION,
    OVERRIDE,
    WITHDRAWABLE,
    WITHDRAWAL,
    Account,
    Change,
    says,
)
from grader.gradebook.assignment import Assignment
from grader.gradebook.connection import PATIENCE, Connections, as_url
from grader.gradebook.lines import assignment_lines, history_of, ledger_of, line_of, report_of
from grader.gradebook.moments import told
from grader.gradebook.recording import CHUNK, Pair, Recording, chunks, next_number
from grader.gradebook.schema import gradings, ledger
from grader.gradebook.standing import Standing
from grader.gradebook.texts import as_json, key_of, original, stored
from grader.gradebook.trouble import shown
from grader.records import clock

MOST_POINTS = Decimal(1_000_000)
_CENT = Decimal("0.01")


class Gradebook:
    """One database, SQLite by a path or any SQLAlchemy URL. Close it, or use it as a context manager.

    create: make it if it is not there; patience: seconds to wait for another program that writes; now: the clock;
    chunk: submissions, or students, a transaction.

    Every method raises UserError for what the database complains of, and for an assignment that is not in it. What a
    method writes is there whole or not at all, except `record`, which an interruption may leave for the next one to
    complete.
    """

    def __init__(
        self,
        place: str | Path,
        *,
        create: bool = True,
        patience: float = PATIENCE,
        now: Callable[[], datetime] = clock.now,
        chunk: int = CHUNK,
    ) -> None:
        self._chunk = chunk
        self._now = now
        self._database = Connections(as_url(place), patience)
        try:
            self._database.open(create)
        except BaseException:
            self._database.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the connections back."""
        self._database.close()

    @property
    def where(self) -> str:
        """Where it is, for people: without any password."""
        return shown(self._database.url)

    # Assignments

    def put(self, assignment: Assignment, reason: str = "", by: str = "") -> bool:
        """Insert an assignment, or change the one of that id. Returns whether anything is different now."""
        with self._database.writing() as connection:
            lines = assignment_lines(connection, assignment.id)
            if lines and lines[-1].definition == assignment:
                return False
            definition = as_json(assignment.to_dict())
            self._write(connection, ASSIGNMENT, assignment.id, None, reason, by, {"definition": definition})
        return True

    def assignments(self) -> tuple[Assignment, ...]:
        """As they are now, in the order in which they came."""
        with self._database.reading() as connection:
            latest = {line.definition.id: line.definition for line in assignment_lines(connection) if line.definition}
        return tuple(latest.values())

    def assignment(self, id_: str) -> Assignment:
        """As it is now."""
        with self._database.reading() as connection:
            return self._known(connection, id_)

    # Gradings

    def record(self, assignment: str, pairs: Iterable[Pair], current: bool = True) -> int:
        """Record gradings in order. Each key is one grading, and what counts for a student moves to the last one given.

        The same pairs a second time change nothing; after an interruption they complete what is missing. A fault of the
        grader's own is recorded, but does not take the place of a verdict. current: whether anything moves; without,
        the gradings are kept for the history.

        Returns:
            How many gradings are new, or count from now on.
        """
        recording = Recording(assignment, self._now(), current)
        with self._database.reading() as connection:
            self._known(connection, assignment)
        for some in chunks(pairs, self._chunk):
            with self._database.writing() as connection:
                recording.take(connection, some)
        for students in chunks(recording.waiting(), self._chunk):
            with self._database.writing() as connection:
                recording.finish(connection, students)
        return len(recording.changed)

    # What a person decides

    def extend(self, assignment: str, student: str, until: datetime, reason: str, by: str) -> int:
        """Move the due moment of one student, who need not have handed in yet. Returns the number of the decision.

        Raises UserError if that is not later than the assignment's own.
        """
        with self._database.writing() as connection:
            known = self._known(connection, assignment)
            if known.due is None:
                raise UserError(f"{assignment} has no due time, so there is nothing to extend.")
            if until <= known.due:
                due = told(known.due, known.zone)
                raise UserError(
                    f"{told(until, known.zone)} is no extension: {assignment} is due {due}. Name a later time."
                )
            return self._write(connection, EXTENSION, assignment, student, *_signed(reason, by), {"until": until})

    def override(
        self, assignment: str, student: str, exercise: str | None, points: Decimal, reason: str, by: str
    ) -> int:
        """Set the points of one exercise, or of the whole assignment (None). Returns the number of the decision.

        Raises UserError for a student of whom nothing was graded, and for points that are none.
        """
        if not points.is_finite() or not 0 <= points <= MOST_POINTS or points != points.quantize(_CENT):
            raise UserError(f"{points} are no points. Write a number from 0 on, with at most two decimals.")
        with self._database.writing() as connection:
            self._known(connection, assignment)
            self._known_student(connection, assignment, student)
            values = {"exercise": None if exercise is None else stored(exercise), "hundredths": int(points * 100)}
            return self._write(connection, OVERRIDE, assignment, student, *_signed(reason, by), values)

    def withdraw(self, number: int, reason: str, by: str) -> Change:
        """Take an extension or an override back, by its number. Returns what was withdrawn."""
        with self._database.writing() as connection:
            row = connection.execute(select(ledger).where(ledger.c.number == number)).one_or_none()
            if row is None or row.kind not in WITHDRAWABLE:
                raise UserError(
                    f"Number {number} is neither an override nor an extension. `history` shows the numbers."
                )
            if connection.execute(select(ledger.c.number).where(ledger.c.withdraws == number)).first():
                raise UserError(f"Number {number} has been withdrawn already.")
            assignment, student = row.assignment, original(row.student)
            self._write(connection, WITHDRAWAL, assignment, student, *_signed(reason, by), {"withdraws": number})
            taken = line_of(row)
            zone = Account()
            zone.assignment = self._known(connection, assignment)
        what = f"{student!r} in {assignment}: {says(taken, zone)}"
        return Change(number, taken.kind, taken.at, what, taken.reason, taken.who, None, None, withdrawn=True)

    # What counts

    def standings(self, assignment: str) -> Iterator[Standing]:
        """What each student has, in the order of ids. A few at a time are read, each student at one moment."""
        known = self.assignment(assignment).id
        last = None
        while True:
            query = select(ledger.c.student).where(ledger.c.assignment == known, ledger.c.step == 1)
            query = query.where(ledger.c.student > last) if last is not None else query
            with self._database.reading() as connection:
                students = list(connection.execute(query.order_by(ledger.c.student).limit(self._chunk)).scalars())
                found = self._standings(connection, known, students)
            yield from (standing() for standing in found)
            if len(students) < self._chunk:
                return
            last = students[-1]

    def standing(self, assignment: str, student: str) -> Standing:
        """What one student has. Raises UserError for one of whom nothing was graded."""
        with self._database.reading() as connection:
            self._known(connection, assignment)
            found = self._standings(connection, assignment, [key_of(student)])
            if not found:
                self._known_student(connection, assignment, student)
        return found[0]()

    def history(self, assignment: str, student: str) -> tuple[Change, ...]:
        """All that led to it, in order: gradings, changes of the assignment, extensions, overrides and withdrawals.

        Each has the points before and after. Raises UserError for a student of whom there is nothing.
        """
        with self._database.reading() as connection:
            self._known(connection, assignment)
            key = key_of(student)
            rows = connection.execute(ledger_of(assignment, [key])).all()
            query = select(gradings).where(gradings.c.assignment == assignment, gradings.c.student == key)
            graded = connection.execute(query).all()
            if not graded and not any(row.student == key for row in rows):
                self._known_student(connection, assignment, student)
        return history_of([line_of(row) for row in rows], graded)

    def students(self, assignment: str) -> tuple[str, ...]:
        """The ids of all of whom there is anything, in order."""
        with self._database.reading() as connection:
            return self._students(connection, self._known(connection, assignment).id)

    def _standings(
        self, connection: Connection, assignment: str, students: Sequence[str]
    ) -> list[Callable[[], Standing]]:
        """What makes each standing, since a report unpacked is twenty times as large as packed."""
        accounts = {student: Account() for student in students}
        for row in connection.execute(ledger_of(assignment, students)):
            line = line_of(row)
            for account in accounts.values() if row.student is None else [accounts[row.student]]:
                account.read(line)
        counting = [(account, account.grading) for account in accounts.values() if account.grading is not None]
        query = select(gradings.c.number, gradings.c.report)
        query = query.where(gradings.c.number.in_([number for _, number in counting]))
        reports = {row.number: row.report for row in connection.execute(query)}

        def made(account: Account, number: int) -> Callable[[], Standing]:
            def make() -> Standing:
                standing = account.standing(report_of(number, reports.pop(number)))
                assert standing is not None  # it has a grading
                return standing

            return make

        return [made(account, number) for account, number in counting]

    def _known(self, connection: Connection, id_: str) -> Assignment:
        lines = assignment_lines(connection, id_)
        if lines and (definition := lines[-1].definition):
            return definition
        ids = sorted({line.definition.id for line in assignment_lines(connection) if line.definition})
        there = (
            f"There are: {', '.join(ids)}." if ids else "There is none yet: store one with `assignments --set FILE`."
        )
        raise UserError(f"There is no assignment {id_!r} in the gradebook {self.where}. {there}")

    def _known_student(self, connection: Connection, assignment: str, student: str) -> None:
        """Raises UserError for a student of whom nothing was graded, with the nearest id."""
        query = select(gradings.c.number).where(gradings.c.assignment == assignment)
        if connection.execute(query.where(gradings.c.student == key_of(student)).limit(1)).first():
            return
        close = difflib.get_close_matches(student, self._students(connection, assignment), n=1)
        advice = f" Did you mean {close[0]!r}?" if close else " `anatomy gradebook show` lists all ids."
        raise UserError(f"Nothing of a student {student!r} was graded in {assignment}.{advice}")

    def _students(self, connection: Connection, assignment: str) -> tuple[str, ...]:
        query = select(ledger.c.student).where(ledger.c.assignment == assignment, ledger.c.student.is_not(None))
        return tuple(original(key) for key in sorted(set(connection.execute(query).scalars())))

    def _write(
        self,
        connection: Connection,
        kind: str,
        assignment: str,
        student: str | None,
        reason: str,
        by: str,
        values: dict[str, Any],
    ) -> int:
        number = next_number(connection)
        row = {
            "number": number,
            "kind": kind,
            "assignment": assignment,
            "student": None if student is None else key_of(student),
            "at": self._now(),
            "who": stored(by),
            "reason": stored(reason),
        }
        connection.execute(ledger.insert(), row | values)
        return number


def _signed(reason: str, by: str) -> tuple[str, str]:
    """Both, as they are. Raises UserError for one that is blank."""
    for what, text in (("a reason", reason), ("a name", by)):
        if not text.strip():
            raise UserError(f"A decision needs {what}, which the history shows. Nothing was written.")
    return reason, by
