"""The places of a submission in which lesson modules may lie, and what lies in each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.batch.naming import shown
from grader.batch.tree import Kind, Parts, Tree, Unreadable, listing
from grader.workspace.submission import MODULE_FOLDER

MAX_FOLDERS = 100
"""Folders at the top of a submission that are looked into."""

_NO_PLACE = ("log", "records", "__pycache__", "node_modules")
# What a platform or a browser makes of the second file of one name: `-1`, ` (1)`.
_NUMBERED = re.compile(r"(?P<stem>.+?)(?:-(?P<dash>\d{1,3})| ?\((?P<bracket>\d{1,3})\))", re.DOTALL)
# Files that would come to life in a test run or an installation. They are never read, nor taken for a lesson.
_NEVER = ("conftest.py", "sitecustomize.py", "usercustomize.py", "setup.py", "__init__.py", "__main__.py")


@dataclass(frozen=True, slots=True)
class Base:
    """One folder. modules: the file of each lesson, by slug; strays: other Python files; notes: what is wrong here."""

    at: Parts
    files: tuple[str, ...]
    folders: Mapping[str, Kind]
    modules: Mapping[str, str]
    strays: tuple[str, ...]
    notes: tuple[str, ...]

    def ending(self, ending: str) -> list[str]:
        return [name for name in self.files if name.lower().endswith(ending)]


@dataclass(frozen=True, slots=True)
class Survey:
    """A submission, or a zip in one. name: the zip's, '' for the submission itself; bases: the top, `student/`, then
    each folder of the top with the `student/` in it."""

    name: str
    tree: Tree
    bases: tuple[Base, ...]
    notes: tuple[str, ...]

    def label(self, at: Parts) -> str:
        """A path in it as a person finds it."""
        inside = shown("/".join(at))
        return f"{self.name}/{inside}" if self.name else inside


def survey(tree: Tree, slugs: Sequence[str], name: str) -> Survey:
    """Look at the places of a tree. Raises Unreadable if its top or its `student/` cannot be opened."""
    top = _base(tree, (), slugs)
    bases, notes = [top], []
    if MODULE_FOLDER in top.folders:
        bases.append(_base(tree, (MODULE_FOLDER,), slugs))
    others = [
        each for each, kind in top.folders.items() if kind is Kind.FOLDER and each != MODULE_FOLDER and is_place(each)
    ]
    if len(others) > MAX_FOLDERS:
        notes.append(f"only the first {MAX_FOLDERS} of its {len(others)} folders were looked into")
    for folder in others[:MAX_FOLDERS]:
        try:
            bases += _wrapped(tree, folder, slugs)
        except Unreadable as error:
            notes.append(str(error).rstrip("."))
    return Survey(name, tree, tuple(bases), tuple(notes))


def is_place(folder: str) -> bool:
    """Whether a folder of that name may hold lessons: hidden ones, `.git` say, do not."""
    return not folder.startswith(".") and folder not in _NO_PLACE


def _wrapped(tree: Tree, folder: str, slugs: Sequence[str]) -> Iterator[Base]:
    base = _base(tree, (folder,), slugs)
    yield base
    if base.folders.get(MODULE_FOLDER) is Kind.FOLDER:
        yield _base(tree, (folder, MODULE_FOLDER), slugs)


def _base(tree: Tree, at: Parts, slugs: Sequence[str]) -> Base:
    names = listing(tree, at)
    files = tuple(name for name, kind in names.items() if kind is Kind.FILE)
    folders = {name: kind for name, kind in names.items() if kind is Kind.FOLDER}
    python = [name for name in files if name.endswith((".py", ".PY"))]
    modules, notes = _modules(python, slugs, tree.ranked and not at)
    lessons = {f"{slug}.py" for slug in slugs}
    notes += [
        f"{shown('/'.join((*at, name)))} is {kind.value}, which is not opened"
        for name, kind in names.items()
        if kind is not Kind.FILE and (name in lessons or (name == MODULE_FOLDER and kind is not Kind.FOLDER))
    ]
    numbered = {name for name in python if lesson_of(name, slugs)}
    strays = tuple(name for name in python if name not in numbered and name not in _NEVER)
    return Base(at, files, folders, modules, strays, tuple(notes))


def _modules(python: Sequence[str], slugs: Sequence[str], ranked: bool) -> tuple[dict[str, str], list[str]]:
    """The file of each lesson. Of several the first where they are ranked, else the one of the exact name."""
    found: dict[str, list[str]] = {}
    for name in python:
        if slug := lesson_of(name, slugs):
            found.setdefault(slug, []).append(name)
    modules, notes = {}, []
    for slug, names in found.items():
        if not ranked:
            names.sort(key=lambda name: (number_of(name) != 0, -number_of(name)))
        modules[slug] = names[0]
        notes += [f"{shown(name)} does not count, {shown(names[0])} does" for name in names[1:]]
    return modules, notes


def lesson_of(name: str, slugs: Sequence[str]) -> str | None:
    """The lesson a file is named after: `normalization.py`, `normalization-1.py` or `normalization (1).py`."""
    if not name.endswith(".py"):
        return None
    stem = unnumbered(name).removesuffix(".py")
    return stem if stem in slugs else None


def unnumbered(name: str) -> str:
    """The name that the student gave a file, without the number of a later copy."""
    stem, dot, ending = name.rpartition(".")
    match = _NUMBERED.fullmatch(stem if dot else name)
    if not match:
        return name
    return f"{match['stem']}{dot}{ending}" if dot else match["stem"]


def number_of(name: str) -> int:
    """The number of a copy, 0 if it has none."""
    stem, dot, _ = name.rpartition(".")
    match = _NUMBERED.fullmatch(stem if dot else name)
    return int(match["dash"] or match["bracket"]) if match else 0
