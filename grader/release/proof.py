"""The proof that nothing hidden is in a bundle, by reading every byte of it.

It knows the course and looks for what must not be there: rooms, forms of code (whatever its names are now), sentences,
lines, names of tests and ids of mistakes; in code, in strings in code, in data. Files of a kind that it cannot read
count as leaks, and so do links, pages that are not the course's own, and suites that are not the public excerpt.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from grader.course import yaml12
from grader.course.functions import parse
from grader.course.load import load_course
from grader.course.mistakes import Mistake
from grader.course.model import Course
from grader.places import suites_folder
from grader.release.excerpt import excerpt
from grader.release.fingerprint import Outline, Print, prints, prints_of_text
from grader.release.hidden import Hidden, hidden_things, literals
from grader.release.longtexts import LongTexts, flat

KINDS = frozenset({".py", ".md", ".yaml", ".json", ".toml", ".html", ".css", ".typed", ".bin", ".svg", ".png", ""})
"""Endings of files that a bundle may hold."""
ROOMS = frozenset(
    (
        "reference", "misconceptions", "variations", "selfcheck", "release", "batch", "analysis", "gradebook", "export",
        "capstone", "tests",
    )
)  # fmt: skip
"""Names of folders and modules that no bundle has."""
MOST_TOLD = 40
"""Leaks that are told of a bundle: with so many it is plain what went wrong."""
_DATA_ROOMS = ("lessons", "_data")
_TEST = re.compile(r"\btest_[a-z0-9_]+")
_ID = re.compile(r"\b[a-z]\w*\.[a-z]\w*\.[a-z0-9-]+")
_FENCED = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class _File:
    """A file of a bundle. text: all of it, with what cannot be read replaced."""

    path: Path
    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module | None:
        """Its code, None if it is none that can be read."""
        try:
            return parse(self.text) if self.path.suffix == ".py" else None
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    @property
    def is_page(self) -> bool:
        """Whether it has the place of a lesson's page, which is compared with the course's own as a whole."""
        return re.fullmatch(r"lessons/\w+/lesson\.md", self.name) is not None

    @property
    def is_data(self) -> bool:
        return any(part in _DATA_ROOMS for part in Path(self.name).parts)


def hidden_in(bundle: Path, most: int = MOST_TOLD) -> list[str]:
    """What is in a bundle that must not be, a sentence each; nothing if all is well. Runs none of it.

    most: so many sentences, and then how many more there are.
    """
    course = load_course()
    search = _Search(hidden_things(course))
    leaks: list[str] = []
    for path in sorted(bundle.rglob("*")):
        name = path.relative_to(bundle).as_posix()
        if problem := _wrong_place(path, name):
            leaks.append(problem)
        if path.is_file() and not path.is_symlink():
            leaks += search.leaks(_File(path, name, path.read_bytes().decode("utf-8", "replace")))
    leaks += _not_the_courses_own(bundle, course)
    return shortened(list(dict.fromkeys(leaks)), most)


def shortened(leaks: list[str], most: int) -> list[str]:
    """The first of them, and how many more there are."""
    more = len(leaks) - most
    return leaks if more <= 0 else [*leaks[:most], f"and {more} more"]


def _wrong_place(path: Path, name: str) -> str | None:
    if path.is_symlink():
        return f"{name} is a link"
    parts = {Path(part).stem for part in Path(name).parts}
    if room := parts & ROOMS:
        return f"{name} lies in a room that stays with the instructor ({', '.join(sorted(room))})"
    if path.is_file() and path.suffix not in KINDS:
        return f"{name} is of a kind that the proof cannot read ({path.suffix})"
    return None


def _not_the_courses_own(bundle: Path, course: Course) -> Iterator[str]:
    """Pages that differ from the course's, and suites that differ from their public part."""
    for lesson in course.lessons:
        page = bundle / "lessons" / lesson.slug / "lesson.md"
        if page.is_file() and page.read_bytes() != lesson.page.read_bytes():
            yield f"lessons/{lesson.slug}/lesson.md is not the course's own page"
    for path in sorted(bundle.glob("grader/suites/test_*.py")):
        hidden = suites_folder() / path.name
        slug = path.stem.removeprefix("test_")
        if not hidden.is_file() or path.read_text("utf-8") != excerpt(hidden.read_text("utf-8"), slug).text:
            yield f"grader/suites/{path.name} is not the public part of its suite"


class _Search:
    """Looks for what is hidden in one file after the other."""

    def __init__(self, hidden: Hidden) -> None:
        self._hidden = hidden
        self._texts = LongTexts(hidden.texts)

    def leaks(self, file: _File) -> Iterator[str]:
        """Everything hidden that a file holds."""
        strings = list(_strings(file))
        texts = [file.text, *strings]
        for text, where in self._texts.found_in(flat("\n".join(texts))):
            yield f"{file.name} holds a text of {where}: {text[:60]!r}"
        for found in () if file.is_page else _code(file, strings, self._hidden.outlines):
            if found.form in self._hidden.forms:
                yield f"{file.name} holds the code of {self._hidden.forms[found.form]}"
        named = {name for text in texts for name in _TEST.findall(text)}
        yield from (f"{file.name} names the hidden test {name}" for name in sorted(named & self._hidden.tests))
        if file.is_data:
            ids = {found for text in texts for found in _ID.findall(text)}
            yield from (f"{file.name} names the mistake {id_}" for id_ in sorted(ids & self._hidden.ids))


def _code(file: _File, strings: Iterable[str], wanted: Container[Outline]) -> Iterator[Print]:
    """The forms of all code in a file: of its own, in fences, and in texts that hold functions."""
    if file.tree is not None:
        yield from prints(file.tree, wanted)
    texts = [*strings, *_FENCED.findall(file.text)] if file.path.suffix != ".bin" else [file.text]
    for text in texts:
        if "def " in text:
            yield from prints_of_text(text, wanted)


def _strings(file: _File) -> Iterator[str]:
    """The texts inside a file: literals of code, values of data."""
    try:
        if file.tree is not None:
            yield from literals(file.tree)
        elif file.path.suffix == ".json":
            yield from _values(json.loads(file.text))
        elif file.path.suffix == ".yaml":
            mistakes: list[Mistake] = []
            node = yaml12.read_nodes(file.path, mistakes)
            yield from _values(yaml12.plain(node) if node is not None else None)
    except ValueError:  # it is looked through as plain text all the same
        return


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _values(key)
            yield from _values(item)
    elif isinstance(value, list):
        for item in value:
            yield from _values(item)
