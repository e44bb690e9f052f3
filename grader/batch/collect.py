"""From what a learning platform hands out to submissions: who handed in what, and what nobody's grade comes from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from grader.batch.archive import ZipTree, opened_export
from grader.batch.contents import OTHER_ARCHIVES, contents_of
from grader.batch.handed_in import Collection, HandedIn, Refused
from grader.batch.layouts import blackboard, canvas, folders, gradescope, moodle, nbgrader
from grader.batch.layouts.found import Asked, Draft, Found, settled
from grader.batch.naming import shown
from grader.batch.tree import MAX_STUDENTS, Branch, FolderTree, Kind, Tree, Unreadable, listing
from grader.course.model import Course
from grader.errors import UserError

LOOKED_FOR = (
    "a folder, .py or .zip for each student, cloned repositories, "
    "or an export of Gradescope, Canvas, Moodle, Blackboard or nbgrader"
)
PLATFORMS = (gradescope, moodle, blackboard, canvas, nbgrader)
"""In the order in which they are tried: those with a mark of their own before those with a pattern of names."""


def collect(path: Path, course: Course, lessons: Sequence[str], prefix: str | None = None) -> Collection:
    """Recognise what a platform handed out, a folder or a zip, and list who handed in what.

    lessons: the slugs that are asked for. prefix: what to take off the names of repositories, '' for nothing; without
    it what they all share is. Nothing of a submission is read before its `read()` is called; then the folder or zip
    must still be there. Raises UserError if there is nothing, if it cannot be read, or if nothing in it is recognised.
    """
    asked = Asked(course, tuple(course.lesson(slug).slug for slug in lessons), shown(str(path)), prefix)
    tree = _opened(path)
    try:
        names = listing(tree)
        if not names:
            raise UserError(f"{shown(str(path))} is empty. Looked for {LOOKED_FOR}.")
        found, root = _recognised(tree, names, asked)
    except Unreadable as error:
        raise UserError(f"{shown(str(path))} cannot be read: {str(error).rstrip('.')}.") from error
    if found is None:
        there = ", ".join(shown(name) for name in list(names)[:5])
        raise UserError(f"Nothing in {shown(str(path))} was recognised. Looked for {LOOKED_FOR}; it holds {there}.")
    if prefix is not None and found.layout not in ("folders", "repositories"):
        raise UserError(f"A prefix is taken off the names of repositories, but this is {found.says}. Leave it out.")
    return _collection(found, "/".join([_name(path), *root]), asked, _misplaced(tree))


def _opened(path: Path) -> Tree:
    name = shown(str(path))
    try:
        if path.is_dir():
            with os.scandir(path):
                return FolderTree(path, MAX_STUDENTS)
        if not path.exists():
            raise UserError(f"There is no {name}. Name the folder or zip that the platform gave you.")
        if path.name.lower().endswith(OTHER_ARCHIVES):
            raise UserError(f"{name} is an archive of a kind that is not read. Unpack it and name the folder.")
        if not path.is_file():
            raise UserError(f"{name} is no ordinary file. Name the folder or zip that the platform gave you.")
        return opened_export(path)
    except Unreadable as error:
        raise UserError(
            f"{name} cannot be read: {str(error).rstrip('.')}. Name the folder or zip that the platform gave you."
        ) from error
    except OSError as error:
        raise UserError(f"{name} cannot be opened: {error.strerror or error}.") from error


def _recognised(tree: Tree, names: dict[str, Kind], asked: Asked) -> tuple[Found | None, tuple[str, ...]]:
    inside = [name for name, kind in names.items() if kind is Kind.FOLDER and not name.startswith(".")]
    # An export often lies in one folder of its zip.
    places: list[tuple[str, ...]] = [(), (inside[0],)] if len(inside) == 1 else [()]
    for place in places:
        for platform in PLATFORMS:
            if found := platform.recognise(Branch(tree, place) if place else tree, asked):
                return found, place
    if len(places) == 2 and len(names) == 1:
        branch = Branch(tree, places[1])
        if folders.wraps_a_class(branch, asked) and (found := folders.recognise(branch, asked)):
            return found, places[1]
    return folders.recognise(tree, asked), ()


def _collection(found: Found, root: str, asked: Asked, misplaced: Sequence[Refused]) -> Collection:
    kept, second = settled(found.drafts)
    submissions = tuple(_handed_in(draft, root, asked) for draft in kept)
    return Collection(found.layout, _says(found, submissions), submissions, (*misplaced, *found.refused, *second))


def _handed_in(draft: Draft, root: str, asked: Asked) -> HandedIn:
    return HandedIn(
        draft.students,
        shown(f"{root}/{draft.label}", 2 * len(root) + 200),
        partial(contents_of, draft.tree, asked.course, asked.lessons),
        draft.submitted,
        draft.late,
    )


def _says(found: Found, submissions: Sequence[HandedIn]) -> str:
    students = sum(len(each.students) for each in submissions)
    late = sum(each.late for each in submissions)
    count = f"{len(submissions):,} submission{'' if len(submissions) == 1 else 's'}"
    parts = [count if students == len(submissions) else f"{count} of {students:,} students"]
    parts += [f"{late:,} marked late"] if late else []
    parts += [found.remark] if found.remark else []
    return f"Recognised {found.says}: {'; '.join(parts)}."


def _misplaced(tree: Tree) -> tuple[Refused, ...]:
    """Members of the export that lie nowhere in it. The student in whose folder one seems to lie is told too."""
    return tuple(Refused(tree.name, why) for why in tree.misplaced()) if isinstance(tree, ZipTree) else ()


def _name(path: Path) -> str:
    return path.name or path.resolve().name
