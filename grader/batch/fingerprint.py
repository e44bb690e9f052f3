"""What a verdict depends on beside the submission: a hash of every part of the grader that can change one."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from grader.course.model import Course
from grader.places import engine_folder, reference_folder, suites_folder

ENGINE_ROOMS = ("judge", "sandbox", "workspace", "course")
"""Rooms of the engine that judge; the files beside them count, too. How a verdict is shown decides nothing."""
_LIBRARIES = ("torch", "numpy")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """parts: the hash or version of each part by name: `the engine`, `python`, `torch`, `lesson normalization`, ..."""

    parts: Mapping[str, str]

    @property
    def digest(self) -> str:
        """One hash over all of them."""
        text = "\n".join(f"{name} {value}" for name, value in sorted(self.parts.items()))
        return hashlib.sha256(text.encode()).hexdigest()

    def changed(self, before: Mapping[str, str]) -> tuple[str, ...]:
        """The names of the parts that are not what they were before."""
        return tuple(name for name in {**before, **self.parts} if before.get(name) != self.parts.get(name))


def fingerprint(course: Course, lessons: Sequence[str]) -> Fingerprint:
    """The parts that decide verdicts on these lessons. What a lesson rests on are those before it, so they count."""
    parts = {"the engine": _digest(_engine_files()), "python": platform.python_version()}
    parts |= {library: version(library) for library in _LIBRARIES}
    parts |= {f"lesson {slug}": _digest(_lesson_files(course, slug)) for slug in lessons_needed(course, lessons)}
    return Fingerprint(parts)


def lessons_needed(course: Course, lessons: Sequence[str]) -> tuple[str, ...]:
    """The lessons and all that come before the last of them."""
    slugs = [lesson.slug for lesson in course.lessons]
    last = max((slugs.index(slug) for slug in lessons), default=-1)
    return tuple(slugs[: last + 1])


def _engine_files() -> Iterator[Path]:
    engine = engine_folder()
    yield from engine.glob("*.py")
    yield from (path for path in (suites_folder(), engine / "misconceptions") for path in path.glob("__init__.py"))
    for room in ENGINE_ROOMS:
        yield from (engine / room).rglob("*.py")


def _lesson_files(course: Course, slug: str) -> Iterator[Path]:
    yield course.lesson(slug).folder / "lesson.yaml"
    yield reference_folder() / f"{slug}.py"
    yield suites_folder() / f"test_{slug}.py"
    catalogue = engine_folder() / "misconceptions" / slug
    yield from catalogue.rglob("*.py") if catalogue.is_dir() else (catalogue.with_suffix(".py"),)


def _digest(files: Iterator[Path]) -> str:
    """A hash of names and contents; where the project lies does not matter."""
    total = hashlib.sha256()
    for path in sorted(files, key=lambda path: path.parts[-3:]):
        content = path.read_bytes() if path.is_file() else b""
        total.update(f"{'/'.join(path.parts[-3:])} {len(content)}\n".encode() + content)
    return total.hexdigest()
