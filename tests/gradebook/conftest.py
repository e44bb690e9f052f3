"""A gradebook on SQLite and on PostgreSQL: every test that asks for one runs on both."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gradebook.made import Clock
from gradebook.postgres import postgres  # noqa: F401  a fixture
from sqlalchemy import Engine, event

from grader.gradebook.assignment import Assignment
from grader.gradebook.book import Gradebook

OPEN = Assignment("week-1", "First", ("first",))


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """SQLite writes as ever, but no test lasts until the disk has it."""

    def forget(connection: Any, record: Any) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA synchronous = OFF")

    event.listen(Engine, "connect", forget)
    yield
    event.remove(Engine, "connect", forget)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a gradebook may be made."""
    if request.param == "sqlite":
        return str(tmp_path / "gradebook.sqlite")
    fresh: str = request.getfixturevalue("postgres").fresh()
    return fresh


@pytest.fixture
def opened(place: str) -> Iterator[Callable[..., Gradebook]]:
    """Open the gradebook once more, as another program would."""
    books = []

    def open_(**options: Any) -> Gradebook:
        books.append(Gradebook(place, **({"now": Clock(), "patience": 5.0} | options)))
        return books[-1]

    yield open_
    for book in books:
        book.close()


@pytest.fixture
def book(opened: Callable[..., Gradebook]) -> Gradebook:
    """A gradebook with one assignment, which is due whenever."""
    made = opened()
    made.put(OPEN)
    return made
