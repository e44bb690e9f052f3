"""What goes wrong with databases is one sentence, and what was written before it stays."""

import re
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from gradebook.conftest import OPEN
from gradebook.made import NOON, Clock, cohort, pair, state
from gradebook.postgres import PASSWORD, Server
from sqlalchemy import text

from grader.errors import UserError
from grader.export.marks import graded
from grader.gradebook import schema
from grader.gradebook.book import Gradebook
from grader.gradebook.decisions import write
from grader.gradebook.recording import Pair
from grader.gradebook.trouble import GradebookAway

Opened = Callable[..., Gradebook]
WEEK = OPEN.id


@contextmanager
def refused(says: str) -> Iterator[None]:
    """A UserError of one sentence or two on one line, which holds no password."""
    with pytest.raises(UserError, match=says) as caught:
        yield
    assert "\n" not in str(caught.value)
    assert PASSWORD not in str(caught.value)
    assert len(re.findall(r"\. ", str(caught.value))) <= 2


def locks(book: Gradebook) -> Any:
    """What keeps every other writer waiting."""
    return book._database.writing()


def test_a_locked_database_is_waited_for(book: Gradebook, opened: Opened) -> None:
    other = opened(patience=20)
    with ThreadPoolExecutor(1) as pool, locks(book):
        waiting = pool.submit(other.record, WEEK, [pair()])
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.1)
    assert waiting.result(timeout=20) == 1


def test_a_database_that_stays_locked_is_named(book: Gradebook, opened: Opened) -> None:
    other = opened(patience=0.05)
    book.record(WEEK, [pair()])
    with locks(book):
        with refused("is locked: another program has been writing to it for too long"):
            other.record(WEEK, [pair("bob")])
        assert other.standing(WEEK, "ada").final == 11  # who reads need not wait
    assert other.record(WEEK, [pair("bob")]) == 1


def test_two_writers_do_not_make_doubles(book: Gradebook, opened: Opened) -> None:
    pairs = cohort(60)
    pairs += [pair(entry.student.id, 3, version="2") for entry, _ in pairs[:20]]
    start = threading.Barrier(2)

    def writer(order: int) -> int:
        mine = opened(chunk=7, patience=30)
        start.wait()
        return mine.record(WEEK, pairs)

    with ThreadPoolExecutor(2) as pool:
        counts = list(pool.map(writer, range(2)))
    assert sum(counts) >= 80
    book.put(replace(OPEN, id="whole"))
    book.record("whole", pairs)
    assert list(book.standings(WEEK)) == list(book.standings("whole"))
    assert [change.says for change in book.history(WEEK, "s0001")[1:]] == ["first grading", "handed in again"]
    assert book.record(WEEK, pairs) == 0


def test_two_programs_may_make_it_at_the_same_time(opened: Opened) -> None:
    start = threading.Barrier(3)

    def make(_: int) -> bool:
        start.wait()
        return opened(patience=30).put(OPEN)

    with ThreadPoolExecutor(3) as pool:
        assert sorted(pool.map(make, range(3))) == [False, False, True]


def test_a_server_that_goes_away_in_the_middle_loses_nothing(postgres: Server) -> None:
    place, pairs = postgres.fresh(), cohort(30)
    with Gradebook(postgres.fresh(), now=Clock()) as whole:
        whole.put(OPEN)
        whole.record(WEEK, pairs)
        expected = list(whole.standings(WEEK))

    def stopping() -> Iterator[Pair]:
        yield from pairs[:25]
        postgres.stop()
        yield from pairs[25:]

    with Gradebook(place, now=Clock(), chunk=10) as book:
        book.put(OPEN)
        try:
            with refused("went away|cannot be reached"):
                book.record(WEEK, stopping())
            with refused("cannot be reached"):
                list(book.standings(WEEK))
            with refused("cannot be reached"):
                Gradebook(place)
        finally:
            postgres.start()
        assert [standing.student.id for standing in book.standings(WEEK)] == [f"s{i:04}" for i in range(20)]
        assert book.record(WEEK, pairs) == 10
        assert list(book.standings(WEEK)) == expected
        assert all(len(book.history(WEEK, entry.student.id)) == 2 for entry, _ in pairs)


def test_a_server_that_goes_away_within_a_transaction_undoes_it(postgres: Server) -> None:
    with Gradebook(postgres.fresh(), now=Clock()) as book:
        book.put(OPEN)
        before = state(book, WEEK)
        with refused("went away"), book._database.writing() as connection:
            write(connection, NOON, "override", (WEEK, "ada"), "r", "P", {"hundredths": 100})
            postgres.stop()
            postgres.start()
            connection.execute(text("SELECT 1"))
        assert state(book, WEEK) == before


def test_a_server_that_refuses_is_named_without_the_password(postgres: Server) -> None:
    Gradebook(postgres.loopback(), create=True).close()
    with refused(r"\*\*\*@127.0.0.1:\d+/postgres refuses this user or password"):
        Gradebook(postgres.loopback("s3cret-passage"))
    with refused("the server has no database of that name"):
        Gradebook(postgres.loopback(database="nowhere"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with refused("cannot be reached .*refused"):
        Gradebook(f"postgresql://me:{PASSWORD}@127.0.0.1:{port}/db")
    with refused("cannot be reached"):
        Gradebook(f"postgresql://me@127.0.0.1:{port}/db?password={PASSWORD}")
    with refused("is no URL of a database"):
        Gradebook(f"postgresql://me:{PASSWORD}@127.0.0.1:port/db")


@pytest.mark.parametrize(
    ("state_", "says"),
    [("53100", "the server's disk is full"), ("25006", "is read-only"), ("42501", "refuses this user the right")],
)
def test_what_a_server_complains_of_is_told(postgres: Server, state_: str, says: str) -> None:
    place = postgres.fresh()
    with Gradebook(place, now=Clock()) as book:
        book.put(OPEN)
        with book._database.writing() as connection:
            raises = f"CREATE FUNCTION fails() RETURNS trigger AS $$ BEGIN RAISE 'no' USING ERRCODE='{state_}'; END $$"
            connection.exec_driver_sql(f"{raises} LANGUAGE plpgsql")
            connection.exec_driver_sql("CREATE TRIGGER t BEFORE INSERT ON gradings EXECUTE FUNCTION fails()")
        with refused(says):
            book.record(WEEK, [pair()])


def test_a_server_in_another_encoding_cannot_hold_every_name(postgres: Server) -> None:
    postgres.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    with refused("is encoded in LATIN1 and cannot hold every name"):
        Gradebook(postgres.loopback(database="latin"))


def test_a_full_disk_is_told_and_what_was_there_stays(tmp_path: Path) -> None:
    with Gradebook(tmp_path / "g.sqlite", now=Clock(), chunk=10) as book:
        book.put(OPEN)
        book.record(WEEK, cohort(10))
        before = state(book, WEEK)
        with book._database.engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 1}")
        with refused("cannot grow: the disk is full"):
            book.record(WEEK, cohort(300))
        assert state(book, WEEK) == before
        with book._database.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
        book.record(WEEK, cohort(300))
        assert len(list(book.standings(WEEK))) == 300


def test_what_is_no_gradebook_is_left_alone(tmp_path: Path) -> None:
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(b"\xff\xd8\xff" * 1000)
    with refused("is no gradebook: it is not an SQLite file"):
        Gradebook(photo)
    foreign = tmp_path / "places.sqlite"
    for table in ("meta (key)", "ledger (number)", "places (url)"):
        foreign.unlink(missing_ok=True)
        with sqlite3.connect(foreign) as connection:
            connection.execute(f"CREATE TABLE {table}")
        connection.close()
        content = foreign.read_bytes()
        with refused("holds another program's tables"):
            Gradebook(foreign)
        assert foreign.read_bytes() == content
    with refused("it is a folder, or in one that is missing"):
        Gradebook(tmp_path)
    with refused("it is a folder, or in one that is missing"):
        Gradebook(tmp_path / "missing" / "g.sqlite")


def test_nothing_is_made_unasked(place: str, tmp_path: Path) -> None:
    with refused("There is no gradebook"):
        Gradebook(place, create=False)
    with refused("There is no gradebook"):
        Gradebook(place, create=False)
    assert not list(tmp_path.glob("*.sqlite"))


def test_a_read_only_file_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "g.sqlite"
    with Gradebook(path, now=Clock()) as book:
        book.put(OPEN)
        book.record(WEEK, [pair()])
    with Gradebook(f"sqlite:///file:{path}?mode=ro&uri=true") as book:
        assert book.standing(WEEK, "ada").final == 11
        with refused("the file or its folder is read-only"):
            book.record(WEEK, [pair("bob")])


def test_a_file_that_was_removed_meanwhile_is_told(tmp_path: Path) -> None:
    path = tmp_path / "g.sqlite"
    with Gradebook(path, now=Clock()) as book:
        book.put(OPEN)
        path.unlink()
        with refused("was moved or removed while it was open"):
            book.record(WEEK, [pair()])


def test_a_damaged_report_concerns_nobody_else_and_grading_again_replaces_it(book: Gradebook) -> None:
    both = [pair(), pair("bob", 3)]
    book.record(WEEK, both)
    before = list(book.standings(WEEK))
    with book._database.writing() as connection:
        damage = schema.gradings.update().where(schema.gradings.c.student == "ada")
        connection.execute(damage.values(report=b"\x00"))
    ada, bob = book.standings(WEEK)
    assert (ada.damaged, ada.final, ada.student) == (True, 11, before[0].student)  # what was earned is kept beside it
    assert (bob, graded(ada), graded(bob)) == (before[1], False, True)
    assert [change.after for change in book.history(WEEK, "ada")] == [None, 11]
    number = book.override(WEEK, "ada", None, Decimal(5), "r", "P")
    assert graded(book.standing(WEEK, "ada"))
    book.withdraw(number, "r", "P")
    assert book.record(WEEK, both) == 1
    assert list(book.standings(WEEK)) == before
    assert book.record(WEEK, both) == 0


def test_whether_to_try_again_later_is_told_apart_from_what_will_never_work(tmp_path: Path) -> None:
    path = tmp_path / "g.sqlite"
    with Gradebook(path, now=Clock()) as book:
        book.put(OPEN)
        with Gradebook(path, patience=0.01) as other, locks(book), pytest.raises(GradebookAway):
            other.record(WEEK, [pair()])
    content = path.read_bytes()
    stays = (
        "overrides, extensions, times and policies stand nowhere else: restore its backup. Without one, move the file"
    )
    for damage, says in (
        (content[:100] + b"\xff" * 5000, f"is damaged: its {stays}"),
        (b"no database" * 1000, f"not an SQLite file. Check the path; or, if it was one before: {stays}"),
    ):
        path.write_bytes(damage)
        with refused(says):
            Gradebook(path)
        with pytest.raises(UserError) as caught:
            Gradebook(path)
        assert not isinstance(caught.value, GradebookAway)
    path.unlink()
    with pytest.raises(GradebookAway, match="cannot be reached"):
        Gradebook("postgresql://me@127.0.0.1:1/db")


def test_a_newer_gradebook_is_refused(book: Gradebook, place: str) -> None:
    with book._database.writing() as connection:
        connection.execute(schema.meta.update().where(schema.meta.c.name == schema.SCHEMA).values(value="7"))
    with refused(r"was written by a newer version of this program \(schema 7; this one knows 1\)"):
        Gradebook(place)


def test_an_older_gradebook_is_brought_up_to_date_once(
    book: Gradebook, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    book.record(WEEK, [pair()])
    steps: list[int] = []
    monkeypatch.setattr(schema, "VERSION", 3)
    monkeypatch.setattr(schema, "MIGRATIONS", {1: lambda _: steps.append(1), 2: lambda _: steps.append(2)})
    for _ in range(2):
        with Gradebook(place) as later:
            assert later.standing(WEEK, "ada").final == 11
    assert steps == [1, 2]
