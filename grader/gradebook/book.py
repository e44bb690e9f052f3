"""The gradebook: every grading, what of it counts, and who decided what. Nothing in it is ever changed or removed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, or_, select

from grader.errors import UserError
from grader.gradebook.account import ASSIGNMENT, OVERRIDE, Account, Change
from grader.gradebook.assignment import Assignment
from grader.gradebook.connection import PATIENCE, Connections, as_url
from grader.gradebook.decisions import Decisions, Signed, withdraw, write
from grader.gradebook.lines import assignment_lines, history_of, ledger_of, line_of, report_of
from grader.gradebook.missing import Asks, asked_by_course, damaged_report, unseen_report
from grader.gradebook.people import refuse_stranger, students_of
from grader.gradebook.recording import CHUNK, Pair, Recording, chunks
from grader.gradebook.schema import gradings, ledger
from grader.gradebook.standing import Standing
from grader.gradebook.texts import as_json, key_of, quoted
from grader.gradebook.trouble import shown
from grader.records import clock

_COUNTING = or_(ledger.c.step == 1, (ledger.c.kind == OVERRIDE) & ledger.c.student.is_not(None))
"""The first lines by which a student may have points."""


class Gradebook:
    """One database, SQLite by a path or any SQLAlchemy URL. Close it, or use it as a context manager.

    create: make it if it is not there; patience: seconds to wait for another program that writes; now: the clock;
    chunk: submissions, or students, a transaction; asks: what an assignment asks for, where no report says so.

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
        asks: Asks = asked_by_course,
    ) -> None:
        self._chunk = chunk
        self._now = now
        self._asks = asks
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
            place = (assignment.id, None)
            write(connection, self._now(), ASSIGNMENT, place, reason, by, {"definition": definition})
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
            How many gradings are new, count from now on, or were damaged and are whole again.
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
        with self._deciding(assignment) as decisions:
            return decisions.extend(student, until, Signed(reason, by))

    def submitted(self, assignment: str, student: str, at: datetime, reason: str, by: str) -> int:
        """Set when a student handed in what counts now; a later hand-in has its own time. Returns the number.

        Raises UserError for a student of whom nothing was graded.
        """
        with self._deciding(assignment) as decisions:
            return decisions.submitted(student, at, Signed(reason, by))

    def override(
        self, assignment: str, student: str, exercise: str | None, points: Decimal, reason: str, by: str,
        name: str | None = None,
    ) -> int:  # fmt: skip
        """Set the points of one exercise, or of the whole assignment (None). Returns the number of the decision.

        name: of a student of whom nothing was graded, and nothing may be. Raises UserError for such a one without it,
        for a name where there is one already, and for points that are none.
        """
        with self._deciding(assignment) as decisions:
            return decisions.override(student, exercise, points, Signed(reason, by), name)

    def withdraw(self, number: int, reason: str, by: str) -> Change:
        """Take a decision on one student back, by its number. Returns what was withdrawn."""
        with self._database.writing() as connection:
            assignment, change = withdraw(connection, self._now(), number, Signed(reason, by))
            return change(self._known(connection, assignment))

    @contextmanager
    def _deciding(self, assignment: str) -> Iterator[Decisions]:
        with self._database.writing() as connection:
            yield Decisions(connection, self._now, self._known(connection, assignment))

    # What counts

    def standings(self, assignment: str) -> Iterator[Standing]:
        """What each student has, in the order of ids. A few at a time are read, each student at one moment.

        Where a report is damaged the standing says so (`damaged`), and nobody else is concerned.
        """
        known = self.assignment(assignment).id
        last = None
        while True:
            query = select(ledger.c.student).distinct().where(ledger.c.assignment == known, _COUNTING)
            query = query.where(ledger.c.student > last) if last is not None else query
            with self._database.reading() as connection:
                students = list(connection.execute(query.order_by(ledger.c.student).limit(self._chunk)).scalars())
                found = self._standings(connection, known, students)
            yield from (standing() for standing in found)
            if len(students) < self._chunk:
                return
            last = students[-1]

    def standing(self, assignment: str, student: str) -> Standing:
        """What one student has. Raises UserError for one who has nothing."""
        with self._database.reading() as connection:
            self._known(connection, assignment)
            found = self._standings(connection, assignment, [key_of(student)])
            if not found:
                refuse_stranger(connection, assignment, student)
        return found[0]()

    def history(self, assignment: str, student: str) -> tuple[Change, ...]:
        """All that led to it, in order: gradings, changes of the assignment, decisions and withdrawals.

        Each has the points before and after. Raises UserError for a student of whom there is nothing.
        """
        with self._database.reading() as connection:
            self._known(connection, assignment)
            key = key_of(student)
            rows = connection.execute(ledger_of(assignment, [key])).all()
            query = select(gradings).where(gradings.c.assignment == assignment, gradings.c.student == key)
            graded = connection.execute(query).all()
            if not graded and not any(row.student == key for row in rows):
                refuse_stranger(connection, assignment, student)
        return history_of([line_of(row) for row in rows], graded)

    def students(self, assignment: str) -> tuple[str, ...]:
        """The ids of all of whom there is anything, in order: whole, as standings have them."""
        with self._database.reading() as connection:
            return students_of(connection, self._known(connection, assignment).id)

    def _standings(
        self, connection: Connection, assignment: str, students: Sequence[str]
    ) -> list[Callable[[], Standing]]:
        """What makes each standing, since a report unpacked is twenty times as large as packed."""
        accounts = {student: Account() for student in students}
        for row in connection.execute(ledger_of(assignment, students)):
            line = line_of(row)
            for account in accounts.values() if row.student is None else [accounts[row.student]]:
                account.read(line)
        counting = [account for account in accounts.values() if account.counts]
        numbers = [account.grading for account in counting if account.grading is not None]
        query = select(gradings.c.number, gradings.c.report, gradings.c.earned).where(gradings.c.number.in_(numbers))
        packed = {row.number: (row.report, row.earned) for row in connection.execute(query)}

        def made(account: Account) -> Callable[[], Standing]:
            def make() -> Standing:
                content, earned = packed.pop(account.grading) if account.grading is not None else (None, None)
                standing = self._standing(account, content, earned)
                assert standing is not None  # it counts
                return standing

            return make

        return [made(account) for account in counting]

    def _standing(self, account: Account, content: bytes | None, earned: int | None) -> Standing | None:
        if content is not None and (report := report_of(content)) is not None:
            return account.standing(report)
        asked = self._asks(account.assignment) if account.assignment else ()
        return (
            account.standing(unseen_report(asked))
            if content is None
            else account.standing(damaged_report(asked), earned)
        )

    def _known(self, connection: Connection, id_: str) -> Assignment:
        lines = assignment_lines(connection, id_)
        if lines and (definition := lines[-1].definition):
            return definition
        ids = sorted({line.definition.id for line in assignment_lines(connection) if line.definition})
        there = (
            f"There are: {', '.join(ids)}." if ids else "There is none yet: store one with `assignments --set FILE`."
        )
        raise UserError(f"There is no assignment {quoted(id_)} in the gradebook {self.where}. {there}")
