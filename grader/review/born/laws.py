"""The tests of the hidden suites as laws that a function keeps or breaks, read without opening a pytest session.

A review has no time for pytest's own start, and pytest opens one session in a process. Our suites need little of it: a
class with the mark `exercise`, methods with the mark `points`, at most `parametrize`, and the arguments check and draw.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from _pytest.mark import ParameterSet

from grader.judge.check import Check
from grader.judge.draw import Draw


@dataclass(frozen=True)
class Law:
    """One test of a suite. says: the first line of its docstring; kind: value, shape, dtype, raises or law; cases: what
    `parametrize` gives it, one mapping for each run (a single empty one without it)."""

    suite: type
    name: str
    says: str
    kind: str
    cases: tuple[Mapping[str, Any], ...]

    def run(self, check: Check, draw: Draw, case: Mapping[str, Any]) -> None:
        """Run one case of it. Raises Failed or AssertionError when the function under test breaks the law."""
        method = getattr(self.suite(), self.name)
        given = {"check": check, "draw": draw, **case}
        method(**{name: given[name] for name in inspect.signature(method).parameters})


@cache
def laws_of(lesson: str, exercise: str) -> tuple[Law, ...]:
    """The tests of an exercise in the order of its suite. Raises KeyError for an exercise without a suite."""
    module = importlib.import_module(f"grader.suites.test_{lesson}")
    for held in vars(module).values():
        marks = getattr(held, "pytestmark", []) if inspect.isclass(held) else []
        if any(mark.name == "exercise" and mark.args[0] == exercise for mark in marks):
            return tuple(_laws(held))
    raise KeyError(f"the suite of {lesson} has no tests of {exercise}")


def _laws(suite: type) -> Iterator[Law]:
    """As pytest orders them: those of a base class first, each where its name is first defined."""
    for name in dict.fromkeys(name for base in reversed(suite.__mro__) for name in vars(base)):
        if not name.startswith("test_"):
            continue
        method = getattr(suite, name)
        points = next(mark for mark in method.pytestmark if mark.name == "points")
        tables = [_rows(mark) for mark in method.pytestmark if mark.name == "parametrize"]
        cases = tuple({k: v for row in rows for k, v in row.items()} for rows in product(*tables))
        yield Law(suite, name, inspect.cleandoc(method.__doc__ or name).splitlines()[0], points.args[0], cases)


def _rows(parametrize: Any) -> list[dict[str, Any]]:
    """What one `parametrize` gives, a mapping for each of its rows."""
    named, rows = parametrize.args
    names = [name.strip() for name in named.split(",")] if isinstance(named, str) else list(named)
    return [dict(zip(names, _values(row, len(names)), strict=True)) for row in rows]


def _values(row: Any, count: int) -> tuple[Any, ...]:
    if isinstance(row, ParameterSet):
        return tuple(row.values)
    return (row,) if count == 1 else tuple(row)
