"""How gradings get into the gradebook: each verdict once, and what counts only when it moves."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from datetime import datetime
from itertools import islice
from typing import TypeVar

from sqlalchemy import Connection, func, select

from grader.batch.entry import Entry
from grader.gradebook.account import STANDING
from grader.gradebook.lines import report_of
from grader.gradebook.schema import gradings, ledger
from grader.gradebook.texts import as_json, key_of, packed, stored
from grader.gradebook.why import Grading, HandIn, why
from grader.report import Report

CHUNK = 100
"""Submissions, or students, a transaction."""

Pair = tuple[Entry, Report]
Thing = TypeVar("Thing")
_Place = tuple[int, int]
"""What tells one standing from another: the grading, and a hash of who handed in and when."""


def chunks(things: Iterable[Thing], size: int) -> Iterator[list[Thing]]:
    """So many at a time."""
    remaining = iter(things)
    while chunk := list(islice(remaining, size)):
        yield chunk


def next_number(connection: Connection) -> int:
    """The next number over both tables, for a transaction that is alone in writing."""
    highest = [connection.execute(select(func.max(table.c.number))).scalar() or 0 for table in (gradings, ledger)]
    return max(highest) + 1


@dataclass
class Recording:
    """One call of `record`. What it keeps of each student is two numbers a grading, until the call ends.

    A student may come several times in one call, when an old grading and a new one are both in the journal. What was
    recorded before is then not gone through again: see `_missing`. Until all has been seen, nobody knows; so only what
    is plain moves at once, and the rest waits for `finish`.
    """

    assignment: str
    now: datetime
    current: bool
    changed: set[_Place] = field(default_factory=set)
    _given: dict[str, list[_Place]] = field(default_factory=dict)
    _waiting: dict[str, dict[_Place, HandIn]] = field(default_factory=dict)

    def take(self, connection: Connection, pairs: Sequence[Pair]) -> None:
        """Record a chunk, in one transaction."""
        numbers = self._store(connection, pairs)
        if not self.current:
            return
        by_student: dict[str, list[tuple[Entry, int]]] = {}
        for (entry, _), number in zip(pairs, numbers, strict=True):
            by_student.setdefault(key_of(entry.student.id), []).append((entry, number))
        known = _standings(connection, self.assignment, by_student)
        moves: list[tuple[str, int, HandIn]] = []
        for student, items in by_student.items():
            history = [place for place, _ in known.get(student, ())]
            sound = any(not fault for _, fault in known.get(student, ()))
            for entry, number in items:
                if entry.fault and sound:
                    continue  # a fault of the grader's own never takes anybody's points
                sound = sound or not entry.fault
                handed_in = HandIn.of(entry)
                place = _place(number, handed_in)
                given = self._given.setdefault(student, [])
                if given[-1:] == [place]:
                    continue
                given.append(place)
                if student not in self._waiting and not history:
                    history.append(place)
                    moves.append((student, number, handed_in))
                elif student in self._waiting or history[-1] != place:
                    self._waiting.setdefault(student, {})[place] = handed_in
        self._move(connection, moves)

    def waiting(self) -> list[str]:
        """The students for whom `finish` is to be called."""
        return list(self._waiting)

    def finish(self, connection: Connection, students: Sequence[str]) -> None:
        """Move what counts for these students, in one transaction, once all has been taken."""
        known = _standings(connection, self.assignment, students)
        moves = []
        for student in students:
            history = [place for place, _ in known.get(student, ())]
            for place in _missing(history, self._given[student]):
                moves.append((student, place[0], self._waiting[student][place]))
        self._move(connection, moves)

    def _store(self, connection: Connection, pairs: Sequence[Pair]) -> list[int]:
        """The number of each pair's grading; those that are new are written."""
        digests = [_digest(self.assignment, entry) for entry, _ in pairs]
        found = select(gradings.c.digest, gradings.c.number, gradings.c.report).where(gradings.c.digest.in_(digests))
        numbers, damaged = {}, set()
        for row in connection.execute(found):
            numbers[row.digest] = row.number
            if report_of(row.report) is None:
                damaged.add(row.digest)
        rows, number = [], next_number(connection)
        for (entry, report), digest in zip(pairs, digests, strict=True):
            if digest in damaged:
                # The only thing that is ever written over: the key is the same, and so the verdict is.
                mended = gradings.update().where(gradings.c.digest == digest)
                connection.execute(mended.values(report=packed(report.to_dict())))
                damaged.remove(digest)
                self.changed.add((numbers[digest], 0))
            if digest in numbers:
                continue
            numbers[digest] = number
            rows.append(
                {
                    "number": number,
                    "digest": digest,
                    "assignment": self.assignment,
                    "student": key_of(entry.student.id),
                    "submission": stored(entry.key.submission),
                    "suite": stored(entry.key.suite),
                    "seed": stored(entry.key.seed),
                    "asked": stored(entry.key.asked),
                    "parts": as_json(dict(entry.parts)),
                    "fault": entry.fault,
                    "earned": report.earned,
                    "possible": report.possible,
                    "graded": entry.at,
                    "recorded": self.now,
                    "report": packed(report.to_dict()),
                }
            )
            self.changed.add((number, 0))
            number += 1
        if rows:
            connection.execute(gradings.insert(), rows)
        return [numbers[digest] for digest in digests]

    def _move(self, connection: Connection, moves: Sequence[tuple[str, int, HandIn]]) -> None:
        if not moves:
            return
        steps = _steps(connection, self.assignment, [student for student, _, _ in moves])
        numbers = {grading for known in steps.values() for _, grading, _ in known}
        told = _gradings(connection, [*(number for _, number, _ in moves), *numbers])
        rows, number = [], next_number(connection)
        for student, grading, handed_in in moves:
            known = steps.setdefault(student, [])
            step = known[-1][0] + 1 if known else 1
            before = (told[known[-1][1]], known[-1][2]) if known else None
            earlier = {told[number].submission for _, number, _ in known}
            rows.append(
                {
                    "number": number,
                    "kind": STANDING,
                    "assignment": self.assignment,
                    "student": student,
                    "at": self.now,
                    "who": "",
                    "reason": stored(why(before, (told[grading], handed_in), earlier)),
                    "step": step,
                    "grading": grading,
                    "handed_in": as_json(handed_in.to_dict()),
                }
            )
            known.append((step, grading, handed_in))
            self.changed.add((grading, 0))
            number += 1
        connection.execute(ledger.insert(), rows)


def _missing(history: Sequence[_Place], given: Sequence[_Place]) -> Sequence[_Place]:
    """What is to be added to the history so that it ends with what was given.

    The longest beginning of `given` with which the history ends has been recorded before: [A, B] after [A, B] adds
    nothing, after [A] it adds B (an interrupted call), and A alone after [A, B] adds A (an earlier one counts again).
    """
    for length in range(min(len(given), len(history)), 0, -1):
        if tuple(history[-length:]) == tuple(given[:length]):
            return given[length:]
    return given


def _digest(assignment: str, entry: Entry) -> str:
    """Two gradings with one key are one, but for a fault of the grader's own, which is no verdict."""
    parts = as_json([assignment, *astuple(entry.key), entry.fault])
    return hashlib.sha256(parts.encode("ascii")).hexdigest()


def _place(number: int, handed_in: HandIn) -> _Place:
    digest = hashlib.blake2b(repr(handed_in.counts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return number, int.from_bytes(digest, "big")


def _standings(
    connection: Connection, assignment: str, students: Iterable[str]
) -> Mapping[str, list[tuple[_Place, bool]]]:
    """What has counted so far, in order, and whether it was a fault of the grader's own."""
    steps = _steps(connection, assignment, students)
    told = _gradings(connection, {grading for known in steps.values() for _, grading, _ in known})
    return {
        student: [(_place(grading, handed_in), told[grading].fault) for _, grading, handed_in in known]
        for student, known in steps.items()
    }


def _steps(
    connection: Connection, assignment: str, students: Iterable[str]
) -> dict[str, list[tuple[int, int, HandIn]]]:
    """What has counted so far, in order: step, grading and who handed in."""
    query = (
        select(ledger.c.student, ledger.c.step, ledger.c.grading, ledger.c.handed_in)
        .where(ledger.c.assignment == assignment, ledger.c.student.in_(set(students)), ledger.c.step.is_not(None))
        .order_by(ledger.c.step)
    )
    steps: dict[str, list[tuple[int, int, HandIn]]] = {}
    for student, step, grading, handed_in in connection.execute(query):
        steps.setdefault(student, []).append((step, grading, HandIn.from_dict(json.loads(handed_in))))
    return steps


def _gradings(connection: Connection, numbers: Iterable[int]) -> dict[int, Grading]:
    table = gradings.c
    query = select(
        table.number, table.submission, table.suite, table.seed, table.asked, table.parts, table.fault
    ).where(table.number.in_(set(numbers)))
    return {
        row.number: Grading(
            row.number, row.submission, row.suite, row.seed, row.asked, json.loads(row.parts), row.fault
        )
        for row in connection.execute(query)
    }
