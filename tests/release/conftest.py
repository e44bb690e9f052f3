"""One bundle for all tests of this room, and students who work in it."""

import os
import shutil
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from students import Bundle, Student, Verdict
from warm import WarmPython

REFERENCE = Path(__file__).parents[2] / "reference"


def reference(*lessons: str) -> dict[str, str]:
    """The answers of these lessons, all by default, as modules of a student's."""
    slugs = lessons or [path.stem for path in REFERENCE.glob("[a-z]*.py")]
    return {slug: (REFERENCE / f"{slug}.py").read_text("utf-8") for slug in slugs}


def sums_for_means() -> dict[str, str]:
    return {"normalization": reference("normalization")["normalization"].replace(".mean(dim=-1", ".sum(dim=-1")}


RAISES_IN_A_LAW = "def kv_cache_bytes(*sizes):\n    return 18480 if sizes[0] == 3 else 1 // 0\n"
WRITES_INTO_X = """\
def split_heads(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError("no")
    answer = x.clone().view(*x.shape[:2], n_heads, x.shape[-1] // n_heads).transpose(1, 2)
    x += 1
    return answer
"""
SUBMISSIONS: dict[str, tuple[Callable[[], dict[str, str]], tuple[str, ...]]] = {
    "stubs": (dict, ()),
    "wrong": (sums_for_means, ("normalization",)),
    "on a stub": (lambda: reference("training"), ("training.sequence_loss",)),
    "raises in a law": (lambda: {"lab": RAISES_IN_A_LAW}, ("lab.kv_cache_bytes",)),
    "writes into x": (lambda: {"heads": WRITES_INTO_X}, ("heads.split_heads",)),
    "right": (reference, ()),
}


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory, warm_python: WarmPython) -> Path:
    """A bundle as `anatomy release` writes it. Nobody writes into it."""
    folder = tmp_path_factory.mktemp("release") / "bundle"
    done = warm_python.run("-m", "grader.cli", "release", str(folder), cwd=folder.parent, seconds=300)
    assert done.returncode == 0, done.stderr
    assert "Nothing hidden is in it" in done.stdout
    return folder


@pytest.fixture(scope="session")
def bundle(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """The bundle as its wheel lays it out, with a Python that has the libraries and not the course: without `site`,
    which would find the course where it is installed for editing."""
    installed = tmp_path_factory.mktemp("installed")
    shutil.copytree(released / "grader", installed / "grader")
    shutil.copytree(released / "lessons", installed / "grader" / "_data" / "lessons")
    path = os.pathsep.join([str(installed), sysconfig.get_path("purelib")])
    with WarmPython((sys.executable, "-S", "-B"), path) as python:
        yield Bundle(installed, python)


@pytest.fixture(scope="session")
def judged(
    released: Path, bundle: Bundle, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Verdict], list[list[Any]]]:
    """What is said of several submissions, by name, and what the last of them gives for a quiz."""
    folder = tmp_path_factory.mktemp("submissions")
    jobs = []
    for name, (written, targets) in SUBMISSIONS.items():
        shutil.copytree(released / "student", folder / name)
        for lesson, text in written().items():
            (folder / name / f"{lesson}.py").write_text(text, encoding="utf-8")
        jobs.append((folder / name, targets))
    verdicts, own = bundle.judge(jobs, folder)
    return dict(zip(SUBMISSIONS, verdicts, strict=True)), own


@pytest.fixture(scope="session")
def verdicts(judged: tuple[dict[str, Verdict], list[list[Any]]]) -> dict[str, Verdict]:
    """What is said of several submissions, by name."""
    return judged[0]


@pytest.fixture
def newcomer(tmp_path: Path, bundle: Bundle, verdicts: dict[str, Verdict], machine: Path) -> Callable[[], Student]:
    """A student who has just begun, with every stub."""

    def begin() -> Student:
        student = Student(bundle, tmp_path / "work", tmp_path / "own")
        student.home.mkdir()
        shutil.copytree(machine, student.home / "cache")
        student.start()
        return student

    return begin


@pytest.fixture(scope="session")
def machine(verdicts: dict[str, Verdict], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where what this machine offers was found out with the first grading."""
    return next(tmp_path_factory.getbasetemp().glob("submissions*/cache"))
