"""Fixtures for every room: records go to a temporary home, and small made courses stand in for the real one."""

import importlib
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lent import lend
from warm import WarmPython

from grader.course.load import load_course
from grader.course.model import Course
from grader.sandbox import Zygote

NOW = "2026-03-01T12:00:00+01:00"

FIRST_LESSON = """\
title: First
summary: The learner can double.
minutes: {reading: 5, lab: 10, review: 2}
needs: []
sources:
  - "Euclid, Elements, book V"
exercises:
  - name: double
    points: 10
    section: doubling
    concepts: [scale]
    todo: "Multiply by two."
    forbidden: []
    hints:
      - "What is added to itself?"
      - "Add x to x."
  - name: shared
    points: 4
    section: the-same-name-twice
    concepts: [scale]
    todo: "Return x."
    forbidden: [identity]
    hints: ["Which value?", "The argument."]
"""

SECOND_LESSON = """\
title: Second
summary: The learner can halve.
minutes: {reading: 20, lab: 30, review: 10}
needs: [first]
sources: []
limits: {seconds: 1.5}
exercises:
  - name: halve
    points: 6
    section: halving
    concepts: [scale]
    todo: "Divide by two."
    forbidden: []
    hints: ["One?", "Two.", "Three."]
  - name: shared
    points: 5
    section: halving
    concepts: [scale]
    todo: "Return x."
    forbidden: []
    hints: ["One?", "Two."]
"""

FIRST_ANSWERS = '''\
"""Answers of the first lesson."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

_TWO = 2.0


def double(x: Tensor, apply: Callable[[Tensor], Tensor] | None = None, *, eps: float = 1e-5) -> Tensor:
    """Twice x.

    Shapes: `(...)` -> `(...)`, with a slash \\\\ and "quotes".
    """
    return _scaled(x)


def shared(
    x: Tensor,  # (...)
    label: str = "a: b",
) -> Tensor:
    """The argument itself."""
    return x * math.exp(0)


def _scaled(x: Tensor) -> Tensor:
    return x * _TWO
'''

SECOND_ANSWERS = '''\
"""Answers of the second lesson."""

from torch import Tensor

from .first import double


def halve(x: Tensor) -> Tensor:
    """Half of x."""
    return double(x) / 4


def shared(x: Tensor) -> Tensor:
    """The argument itself."""
    return halve(double(x))
'''


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for each test, so that no test can touch a person's records."""
    folder = tmp_path / "home"
    monkeypatch.setenv("ANATOMY_HOME", str(folder))
    monkeypatch.setenv("ANATOMY_NOW", NOW)
    return folder


@pytest.fixture(scope="session")
def warm_python() -> Iterator[WarmPython]:
    """Python processes that need not import torch."""
    with WarmPython() as started:
        yield started


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """Started once for all who only want workers of it."""
    with Zygote() as started:
        yield started


@pytest.fixture
def lent_zygote(zygote: Zygote, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands that run in this process take that one for their own."""
    for module in ("cli.companion", "desk", "cli.doctor", "cli.run"):  # what is imported later would keep what is lent
        importlib.import_module(f"grader.{module}")
    lend(zygote, monkeypatch.setattr)


@pytest.fixture
def lessons(tmp_path: Path) -> Path:
    """The lessons/ folder of a made course of two lessons with two exercises each."""
    folder = tmp_path / "made" / "lessons"
    for slug, text, page in (
        ("first", FIRST_LESSON, "# First\n\n## Doubling\n\n## The same name, twice\n"),
        ("second", SECOND_LESSON, "# Second\n\n## Halving\n"),
    ):
        (folder / slug).mkdir(parents=True)
        (folder / slug / "lesson.yaml").write_text(text, encoding="utf-8")
        (folder / slug / "lesson.md").write_text(page, encoding="utf-8")
    (folder / "course.yaml").write_text("title: A made course\nlessons: [first, second]\n", encoding="utf-8")
    return folder


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """The reference/ folder of the made course."""
    folder = tmp_path / "made" / "reference"
    folder.mkdir(parents=True)
    (folder / "first.py").write_text(FIRST_ANSWERS, encoding="utf-8")
    (folder / "second.py").write_text(SECOND_ANSWERS, encoding="utf-8")
    return folder


@pytest.fixture
def made_course(lessons: Path) -> Course:
    """The made course, loaded."""
    return load_course(lessons)


@pytest.fixture
def made_places(lessons: Path, answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine take the made course for its own."""
    monkeypatch.setattr("grader.places.lessons_folder", lambda: lessons)
    monkeypatch.setattr("grader.places.reference_folder", lambda: answers)


@pytest.fixture
def write_lines() -> Callable[[Path, str], Path]:
    """Write an indented text to a file, without its indentation."""

    def write(path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8", newline="")
        return path

    return write


ROOMS = ("grading", "attacks", "sandbox", "cli", "browser", "gradebook")
"""Folders whose tests share what takes seconds to set up (graders at work, zygotes at every level, a browser, a
database server). Each is the work of one process, lest every process set all of it up. They come first, being the
longest."""


def room_of(nodeid: str) -> str | None:
    """Which of the rooms a test belongs to."""
    folders = nodeid.partition("::")[0].split("/")[:-1]
    return next((room for room in ROOMS if room in folders), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest."""
    items.sort(key=lambda item: ROOMS.index(room) if (room := room_of(item.nodeid)) else len(ROOMS))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out whole rooms, and of the other tests whole files."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByRoom(LoadFileScheduling):  # type: ignore[misc]  # xdist is not typed
        def _split_scope(self, nodeid: str) -> str:
            return room_of(nodeid) or str(super()._split_scope(nodeid))

    return ByRoom(config, log)
