"""nbgrader: `submitted/<student>/<assignment>/`, with the time in `timestamp.txt`."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from itertools import islice

from grader.batch.handed_in import Refused, Student
from grader.batch.layouts.found import Asked, Draft, Found, by_label
from grader.batch.layouts.times import moment
from grader.batch.naming import shown, text_of
from grader.batch.tree import Branch, Kind, Parts, Tree, Unreadable, listing
from grader.errors import UserError

SUBMITTED = "submitted"
TIMESTAMP = "timestamp.txt"
_TIMESTAMP_BYTES = 200
_LOOKED_AT = 50
"""Students whose folders are searched for a timestamp to recognise the layout."""


def recognise(tree: Tree, asked: Asked) -> Found | None:
    """The `submitted` folder of nbgrader, or the folder that holds it. Raises UserError for several assignments."""
    names = listing(tree)
    below: Parts = (SUBMITTED,) if names.get(SUBMITTED) is Kind.FOLDER else ()
    students = listing(tree, below) if below else names
    if not (_has_timestamps(tree, below, students) or (below and _is_two_deep(tree, below, students))):
        return None
    held = {
        name: _folders(tree, (*below, name))
        for name, kind in students.items()
        if kind is Kind.FOLDER and not name.startswith(".")
    }
    assignment = _assignment(held, asked)
    refused = [
        Refused(shown(name), f"is {kind.value}, no student's folder")
        for name, kind in students.items()
        if name not in held
    ]
    drafts = []
    for name, assignments in held.items():
        at = (*below, name, assignment)
        if assignment not in assignments:
            refused.append(Refused(shown(name), f"nothing handed in for {shown(assignment)}"))
            continue
        branch = Branch(tree, at)
        drafts.append(Draft((Student(text_of(name)),), "/".join(at), branch, submitted=_time(branch)))
    return Found("nbgrader", f"{shown(assignment)} in an nbgrader folder", by_label(drafts), tuple(refused))


def _folders(tree: Tree, at: Parts) -> set[str]:
    try:
        return {name for name, kind in listing(tree, at).items() if kind is Kind.FOLDER and not name.startswith(".")}
    except Unreadable:
        return set()


def _has_timestamps(tree: Tree, below: Parts, students: dict[str, Kind]) -> bool:
    folders = (name for name, kind in students.items() if kind is Kind.FOLDER)
    for student in islice(folders, _LOOKED_AT):
        for assignment in islice(sorted(_folders(tree, (*below, student))), _LOOKED_AT):
            try:
                if TIMESTAMP in tree.names((*below, student, assignment)):
                    return True
            except Unreadable:
                continue
    return False


def _is_two_deep(tree: Tree, below: Parts, students: dict[str, Kind]) -> bool:
    folders = (name for name, kind in students.items() if kind is Kind.FOLDER)
    return any(_folders(tree, (*below, student)) - {"student"} for student in islice(folders, _LOOKED_AT))


def _assignment(held: dict[str, set[str]], asked: Asked) -> str:
    counts = Counter(name for assignments in held.values() for name in assignments)
    if len(counts) == 1:
        return next(iter(counts))
    wanted = [lesson for lesson in asked.lessons if lesson in counts]
    if len(wanted) == 1:
        return wanted[0]
    names = ", ".join(shown(name) for name in sorted(counts)[:10])
    raise UserError(
        f"{asked.where}, an nbgrader folder, holds several assignments ({names}), and the lessons asked for name "
        f"{'none' if not wanted else 'more than one'} of them. Ask for one lesson that has an assignment's name."
    )


def _time(branch: Branch) -> datetime | None:
    try:
        text = branch.read((TIMESTAMP,), _TIMESTAMP_BYTES).decode("utf-8", "replace")
    except Unreadable:
        return None  # then nothing says when, and no submission is late by it
    return moment(text, without_zone=UTC)  # nbgrader itself takes a time without a zone for UTC
