"""A grader at work, and submissions made of the reference with some functions written otherwise."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from grader.course.functions import functions
from grader.course.load import load_course
from grader.course.stubs import stub_source
from grader.places import reference_folder
from grader.report import ExerciseResult, Report

SERVER = Path(__file__).parent / "server.py"


class GradingDesk:
    """Hands submissions to the grading process and reads the reports."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._process = subprocess.Popen(
            [sys.executable, str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def close(self) -> None:
        self._process.communicate(timeout=30)

    def grade(
        self, modules: Mapping[str, str | bytes], *targets: str, seed: int = 1, hide_expected: bool = False,
        seconds: float | None = None, anew: bool = False,
    ) -> Report:  # fmt: skip
        """Grade modules by slug; a lesson that is not given has no file. seconds: a limit in place of the lesson's, for
        what is waited for to the last moment; anew: by a grader that has graded nothing before."""
        self._count += 1
        folder = self._folder / f"submission-{self._count}"
        folder.mkdir()
        for slug, text in modules.items():
            data = text if isinstance(text, bytes) else text.encode()
            (folder / f"{slug}.py").write_bytes(data)
        return self.grade_folder(folder, *targets, seed=seed, hide_expected=hide_expected, seconds=seconds, anew=anew)

    def grade_folder(
        self, folder: Path, *targets: str, seed: int = 1, hide_expected: bool = False, seconds: float | None = None,
        anew: bool = False,
    ) -> Report:  # fmt: skip
        """Grade a folder as it is."""
        asked = list(targets) or [lesson.slug for lesson in load_course().lessons]
        request = {
            "folder": str(folder), "targets": asked, "seed": seed, "hide_expected": hide_expected, "seconds": seconds,
            "anew": anew,
        }  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the grading process ended"
        return Report.from_dict(json.loads(line))


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GradingDesk]:
    """One grading process for all tests."""
    desk = GradingDesk(tmp_path_factory.mktemp("submissions"))
    yield desk
    desk.close()


@pytest.fixture(scope="session")
def stubs() -> dict[str, str]:
    """What a learner starts from."""
    return {lesson.slug: stub_source(lesson) for lesson in load_course().lessons}


@pytest.fixture(scope="session")
def answers() -> dict[str, str]:
    """The reference's modules."""
    return {
        lesson.slug: (reference_folder() / f"{lesson.slug}.py").read_text("utf-8") for lesson in load_course().lessons
    }


Rewrite = Callable[..., dict[str, str]]


@pytest.fixture(scope="session")
def with_functions(answers: dict[str, str]) -> Rewrite:
    """The reference with some functions written otherwise: `with_functions({"normalization.rms_norm": source})`."""

    def rewrite(changes: Mapping[str, str], base: Mapping[str, str] = answers) -> dict[str, str]:
        modules = dict(base)
        for exercise, source in changes.items():
            slug, _, name = exercise.partition(".")
            modules[slug] = replace_function(modules[slug], name, source)
        return modules

    return rewrite


@pytest.fixture(scope="session")
def grade_one(desk: GradingDesk, with_functions: Rewrite) -> Callable[..., ExerciseResult]:
    """The result of one exercise whose function is written as given, all others right."""

    def grade_one(
        exercise: str,
        source: str,
        *,
        companions: Mapping[str, str] | None = None,
        seed: int = 1,
        hide_expected: bool = False,
        seconds: float | None = None,
    ) -> ExerciseResult:
        modules = with_functions({**(companions or {}), exercise: source})
        needed = with_imported(modules, exercise.partition(".")[0])
        report = desk.grade(needed, exercise, seed=seed, hide_expected=hide_expected, seconds=seconds)
        return report.exercises[0]

    return grade_one


def with_imported(modules: Mapping[str, str], slug: str) -> dict[str, str]:
    """One of the modules with all that it imports, directly or not. To read the other ones as well costs most of the
    time that the grading of one function takes."""
    found: dict[str, str] = {}
    waiting = [slug]
    while waiting:
        at = waiting.pop()
        if at not in found:
            found[at] = modules[at]
            imports = [line for line in modules[at].splitlines() if "import" in line]
            waiting += [other for other in modules if any(re.search(rf"\b{other}\b", line) for line in imports)]
    return found


def replace_function(module: str, name: str, source: str) -> str:
    """The module without its function `name` and with `source` at the end; `from __future__` goes on top."""
    source = textwrap.dedent(source)
    lines = module.splitlines()
    old = functions(module)[name]
    del lines[old.first_line - 1 : old.last_line]
    future = [
        ast.unparse(node)
        for node in ast.parse(source).body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    kept = [line for line in source.splitlines() if line.strip() not in future]
    if future and lines and not lines[0].startswith("from __future__"):
        lines = [*future, *lines]
    return "\n".join([*lines, "", *kept, ""])
