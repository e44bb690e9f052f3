"""The real grader at every level, asked for submissions that want points without the work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.course.load import load_course
from grader.course.stubs import stub_source
from grader.report import ExerciseResult, Report

SERVER = Path(__file__).parent / "server.py"
LESSONS = ("objective", "normalization", "attention", "heads")
"""Those that the server grades."""


class Desk:
    """The grading process, with submissions made from stubs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        )  # fmt: skip
        self.stubs = {slug: stub_source(load_course().lesson(slug)) for slug in LESSONS}
        self.levels: set[str] = set()

    def grade(self, without: frozenset[str], modules: Mapping[str, str], *targets: str) -> Report:
        """Grade these modules; the other ones of these lessons are as a learner gets them."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        for slug, source in {**self.stubs, **modules}.items():
            (folder / f"{slug}.py").write_text(textwrap.dedent(source), "utf-8")
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        request = {"folder": str(folder), "targets": targets, "without": sorted(without)}
        self.process.stdin.write(json.dumps(request) + "\n")
        line = self.process.stdout.readline()
        assert line, "the grading process has ended"
        return Report.from_dict(json.loads(line))


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One grading process for all levels."""
    opened = Desk(tmp_path_factory.mktemp("submissions"))
    yield opened
    opened.process.communicate(timeout=60)


@pytest.fixture
def grade(outermost_cage: Any, desk: Desk) -> Callable[..., Report]:
    """Grade at the level of the cage, with the cage's bait and neighbour beside: `grade({"normalization": text}, id)`."""
    cage = outermost_cage

    def at_this_level(modules: Mapping[str, str], *targets: str) -> Report:
        return desk.grade(cage.level.without, modules, *targets)

    if cage.level.name not in desk.levels:
        at_this_level({"normalization": "def rms_norm(x, weight, eps=1e-6): return x\n"}, "normalization.rms_norm")
        desk.levels.add(cage.level.name)
        cage.adopt()
    return at_this_level


@pytest.fixture
def grade_rms_norm(grade: Callable[..., Report]) -> Callable[[str], ExerciseResult]:
    """The result of `rms_norm` of a text that is the whole of normalization.py."""
    return lambda text: grade({"normalization": text}, "normalization.rms_norm").exercises[0]
