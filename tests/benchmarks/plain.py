"""A pytest plugin that runs a lesson's suite the way most courses do: the answers are imported beside the tests.

    ANSWERS=DIR python -m pytest -p plain --rootdir=. grader/suites/test_normalization.py

Nothing protects the tests, no mistake is named; it is the yardstick of `many.py` and `tamper.py`, and nothing else.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.course.load import load_course
from grader.grading import reference_function
from grader.judge.check import Check, Examination
from grader.judge.draw import Draw, seed_for
from grader.judge.probe import run_here


def pytest_configure(config: pytest.Config) -> None:
    """The marks of the suites."""
    config.addinivalue_line("markers", "exercise(name): the exercise that a class tests")
    config.addinivalue_line("markers", "points(kind, weight): what a test is worth")


@pytest.fixture
def check(request: pytest.FixtureRequest) -> Check:
    """As in grader.session, but the function under test is called in this process."""
    name, lesson = request.node.get_closest_marker("exercise").args[0], request.path.stem.removeprefix("test_")
    function = getattr(answers(lesson), name)
    reference = reference_function(load_course().exercise(f"{lesson}.{name}"))
    examination = Examination(reference, in_this_process(function))
    return Check(examination, request.node.name, 1)


@pytest.fixture
def draw(request: pytest.FixtureRequest) -> Draw:
    """As in grader.session."""
    return Draw(seed_for(1, request.node.name))


def in_this_process(function: Callable[..., Any]) -> Callable[..., Any]:
    """Put a probe to a function without any protection."""
    return lambda probe, answer: run_here(function, probe, answer.cotangent if answer else None)


def answers(lesson: str) -> Any:
    """The answers of a lesson, imported once as `student.<lesson>`."""
    name = f"student.{lesson}"
    if name not in sys.modules:
        folder = Path(os.environ["ANSWERS"])
        package = importlib.util.module_from_spec(importlib.machinery.ModuleSpec("student", None, is_package=True))
        package.__path__ = [str(folder)]
        sys.modules["student"] = package
        importlib.import_module(name)
    return sys.modules[name]
