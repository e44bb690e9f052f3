"""The students of an assignment by their whole ids, of which the tables' keys may hold only the beginning."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from typing import NoReturn

from sqlalchemy import Connection, func, select

from grader.errors import UserError
from grader.gradebook.account import Line
from grader.gradebook.schema import gradings, ledger
from grader.gradebook.texts import LONGEST_KEY, key_of, original, quoted

_COMPARED = 200
"""Characters of an id by which a similar one is looked for."""


def students_of(connection: Connection, assignment: str) -> tuple[str, ...]:
    """The whole ids of all of whom there is anything, in order."""
    whose = (ledger.c.assignment == assignment, ledger.c.student.is_not(None))
    keys = connection.execute(select(ledger.c.student).where(*whose).distinct()).scalars()
    ids = {key: original(key) for key in keys}
    cut = select(ledger.c.student, ledger.c.handed_in).where(
        *whose, func.length(ledger.c.student) == LONGEST_KEY, ledger.c.handed_in.is_not(None)
    )
    ids |= {row.student: json.loads(row.handed_in)["student"]["id"] for row in connection.execute(cut)}
    return tuple(ids[key] for key in sorted(ids))


def whole_id(key: str, lines: Sequence[Line]) -> str:
    """The id that has this key, by the lines of that student."""
    named = [line.handed_in.student.id for line in lines if line.handed_in is not None]
    return named[0] if named else original(key)


def was_graded(connection: Connection, assignment: str, student: str) -> bool:
    """Whether there is any grading of that student's."""
    query = select(gradings.c.number).where(gradings.c.assignment == assignment)
    return connection.execute(query.where(gradings.c.student == key_of(student)).limit(1)).first() is not None


def refuse_stranger(connection: Connection, assignment: str, student: str, more: str = "") -> NoReturn:
    """Raises UserError for a student of whom there is nothing, with the nearest id."""
    there = {each[:_COMPARED]: each for each in students_of(connection, assignment)}
    close = [each for each in difflib.get_close_matches(student[:_COMPARED], there, n=1) if there[each] != student]
    advice = f" Did you mean {quoted(there[close[0]])}?" if close else " `anatomy gradebook show` lists all ids."
    raise UserError(f"Nothing of a student {quoted(student)} was graded in {assignment}.{advice}{more}")
