"""Moodle: a folder `Full Name_<id>_assignsubmission_file_` a student, or the same before each file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from grader.batch.handed_in import Refused, Student
from grader.batch.layouts.found import Asked, Draft, Found, by_label
from grader.batch.naming import shown, text_of
from grader.batch.tree import Branch, Kind, Missing, Parts, Picked, Tree, listing

# The first place that fits is Moodle's: the rest is the student's own file name, which may imitate another student.
_NAME = re.compile(
    r"(?P<name>.*?)_(?P<id>[0-9]{1,19})_assignsubmission_(?P<kind>file|onlinetext)_?(?P<file>.*)", re.DOTALL
)
_TYPED = "Text was typed into the page and no file handed in: a lesson's .py file or a zip is read."


@dataclass(frozen=True, slots=True)
class MoodleName:
    """A name taken apart; `file` is '' for a folder, `typed` means text typed into the page."""

    name: str
    id: str
    typed: bool
    file: str


def parse(name: str) -> MoodleName | None:
    """Take a name apart. None if Moodle does not write such names."""
    match = _NAME.fullmatch(name)
    return MoodleName(match["name"], match["id"], match["kind"] == "onlinetext", match["file"]) if match else None


def recognise(tree: Tree, _: Asked) -> Found | None:
    """A Moodle download, if anything in it is named so."""
    names = listing(tree)
    parsed = {name: found for name in names if (found := parse(name))}
    if not parsed:
        return None
    refused = [Refused(shown(name), "is not named as Moodle names submissions") for name in names if name not in parsed]
    of: dict[str, list[tuple[str, MoodleName]]] = {}
    for name, found in parsed.items():
        of.setdefault(found.id, []).append((name, found))
    drafts = [_submission(tree, names, id_, entries) for id_, entries in of.items()]
    return Found("moodle", "a Moodle download", by_label(drafts), tuple(refused))


def _submission(tree: Tree, names: Mapping[str, Kind], id_: str, entries: list[tuple[str, MoodleName]]) -> Draft:
    label, first = entries[0]
    student = (Student(id_, text_of(first.name)),)
    items: dict[str, tuple[Parts, Kind]] = {}
    folders = []
    for name, found in entries:
        if found.typed:
            continue
        if names[name] is Kind.FOLDER and not found.file:
            folders.append(name)
        else:
            items.setdefault(found.file or name, ((name,), names[name]))
    if len(folders) == 1 and not items:
        return Draft(student, folders[0], Branch(tree, (folders[0],)))
    items.update({folder: ((folder,), Kind.FOLDER) for folder in folders})
    if not items:
        return Draft(student, label, Missing(_TYPED))
    return Draft(student, label, Picked(tree, tuple((file, *where) for file, where in items.items())))
