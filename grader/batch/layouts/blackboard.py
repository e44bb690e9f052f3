"""Blackboard: `<assignment>_<user>_attempt_<time>_<file>`, and `<assignment>_<user>_attempt_<time>.txt` an attempt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from grader.batch.handed_in import Refused, Student
from grader.batch.layouts.found import Asked, Draft, Found, by_label
from grader.batch.naming import shown, text_of
from grader.batch.tree import Kind, Missing, Picked, Tree, Unreadable, listing

_NAME = re.compile(r"(?P<head>.+?)_attempt_(?P<time>[0-9]{4}(?:-[0-9]{2}){5})(?:\.txt|_(?P<file>.+))", re.DOTALL)
_RECEIPT_BYTES = 64_000
_RECEIPT = re.compile(r"\ufeff?Name:[ \t]*(?P<name>[^\r\n]*?)[ \t]*\((?P<user>[^()\r\n]+)\)[ \t]*(?:\r|\n|\Z)")


@dataclass(frozen=True, slots=True)
class BlackboardName:
    """A name taken apart. head: assignment and user; time: as written, without a zone; file: None for the receipt."""

    head: str
    time: str
    file: str | None


def parse(name: str) -> BlackboardName | None:
    """Take a name apart. None if Blackboard does not write such names."""
    match = _NAME.fullmatch(name)
    return BlackboardName(match["head"], match["time"], match["file"]) if match else None


def recognise(tree: Tree, _: Asked) -> Found | None:
    """A Blackboard download, if anything in it is named so."""
    names = listing(tree)
    parsed = {name: found for name, kind in names.items() if kind is not Kind.FOLDER and (found := parse(name))}
    if not parsed:
        return None
    refused = [
        Refused(shown(name), "is not named as Blackboard names submissions") for name in names if name not in parsed
    ]
    attempts: dict[str, dict[str, list[str]]] = {}
    for name, found in parsed.items():
        attempts.setdefault(found.head, {}).setdefault(found.time, []).append(name)
    students, assignment = _students(tree, attempts)
    drafts = []
    for head, by_time in attempts.items():
        latest = max(by_time)
        drafts.append(_submission(tree, students[head], f"{head}_attempt_{latest}", by_time[latest], names, parsed))
        refused += [
            Refused(shown(f"{head}_attempt_{time}"), f"an earlier attempt: the one of {latest} counts", ordinary=True)
            for time in sorted(by_time)
            if time != latest
        ]
    remark = f"{shown(assignment)} is taken for the assignment; the times carry no zone, so nothing is late by them"
    return Found("blackboard", "a Blackboard download", by_label(drafts), tuple(refused), remark)


def _submission(
    tree: Tree,
    student: Student,
    label: str,
    entries: list[str],
    names: dict[str, Kind],
    parsed: dict[str, BlackboardName],
) -> Draft:
    items = tuple((file, (name,), names[name]) for name in entries if (file := parsed[name].file))
    if items:
        return Draft((student,), label, Picked(tree, items))
    why = "No file was handed in with this attempt: a lesson's .py file or a zip is read."
    return Draft((student,), label, Missing(why))


def _students(tree: Tree, attempts: dict[str, dict[str, list[str]]]) -> tuple[dict[str, Student], str]:
    """Who each head is, and the assignment. Both may hold '_', so the receipts are asked, then what all heads share."""
    known = {}
    for head, by_time in attempts.items():
        latest = max(by_time)
        for name in by_time[latest]:
            if name == f"{head}_attempt_{latest}.txt" and (student := _receipt(tree, name, head)):
                known[head] = student
    assignments = {head[: -len(student.id) - 1] for head, student in known.items()}
    assignment = assignments.pop() if len(assignments) == 1 else _shared(attempts)
    students = {}
    for head in attempts:
        user = head[len(assignment) + 1 :] if head.startswith(f"{assignment}_") else head
        students[head] = known.get(head) or Student(text_of(user))
    return students, assignment


def _receipt(tree: Tree, name: str, head: str) -> Student | None:
    try:
        text = tree.read((name,), _RECEIPT_BYTES).decode("utf-8", "replace")
    except Unreadable:
        return None  # only the student's full name is lost
    match = _RECEIPT.match(text)
    user = match["user"] if match else ""
    return (
        Student(text_of(user), match["name"])
        if match and head.endswith(f"_{user}") and len(head) > len(user) + 1
        else None
    )


def _shared(heads: Iterable[str]) -> str:
    """What all heads begin with, up to a '_'; of a single one all but its last part."""
    split = [head.split("_") for head in heads]
    shortest = min(len(parts) for parts in split)
    count = 0
    while count < shortest - 1 and len({tuple(parts[: count + 1]) for parts in split}) == 1:
        count += 1
    return "_".join(split[0][:count])
