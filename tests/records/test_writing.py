"""Writing survives what happens to machines: other writers, a kill at any byte, a power cut."""

import itertools
import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from grader.records.event import Event
from grader.records.files import open_tail
from grader.records.log import History, Log

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MANY = 10_000
CONTEXT = multiprocessing.get_context("spawn")


@pytest.fixture
def log(home: Path) -> Log:
    return Log(home)


def file_of(log: Log) -> Path:
    (path,) = log.folder.glob("*.jsonl")
    return path


def deeds(history: History) -> list[Event]:
    return [event for event in history.events if event.type != "quarantine"]


def write_many(home: Path, start: Any, writer: int, count: int, size: int, *, to_disk: bool) -> None:
    if not to_disk:  # waiting for the disk 20,000 times is the disk's test; all else is as always
        os.fsync = lambda descriptor: None
    log = Log(home)
    start.wait()
    for number in range(count):
        log.append("hint", {"writer": writer, "number": number, "padding": "x" * (number % size)}, NOW)


@pytest.mark.parametrize(
    ("count", "size", "to_disk"),
    # Of the large ones a reader might see a part: they take the system several steps.
    [
        pytest.param(MANY, 700, False, id="many"),
        pytest.param(800, 20_000, False, id="large"),
        pytest.param(100, 700, True, id="to-disk"),
    ],
)
def test_two_processes_that_write_at_once_lose_nothing_and_tear_nothing(
    log: Log, home: Path, count: int, size: int, to_disk: bool
) -> None:
    start = CONTEXT.Barrier(2)
    writers = [
        CONTEXT.Process(target=write_many, args=(home, start, writer, count, size), kwargs={"to_disk": to_disk})
        for writer in range(2)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    history = log.read()
    assert history.damage == ()
    assert len(history.events) == 2 * count, "a write was taken for a broken-off one"
    written = sorted((event.payload["writer"], event.payload["number"]) for event in history.events)
    assert written == [(writer, number) for writer in range(2) for number in range(count)]
    lines = file_of(log).read_text(encoding="ascii").splitlines()
    turns = [json.loads(line)["payload"]["writer"] for line in lines]
    assert sum(one != other for one, other in itertools.pairwise(turns)) > 10, "they did not meet"


def test_a_kill_at_any_byte_of_a_write_loses_that_event_at_most(log: Log) -> None:
    first, second = (log.append("hint", {"number": number}, NOW) for number in (1, 2))
    path = file_of(log)
    whole = path.read_bytes()
    start = whole.index(b"\n") + 1
    for length in range(start, len(whole) + 1):
        path.write_bytes(whole[:length])
        survivors = [first] if length < len(whole) - 1 else [first, second]
        is_torn = start < length < len(whole) - 1

        after_kill = log.read()
        assert deeds(after_kill) == survivors
        assert [damage.torn for damage in after_kill.damage] == [True] * is_torn

        third = log.append("hint", {"number": 3}, NOW)
        assert path.read_bytes().startswith(whole[:length])
        after_next = log.read()
        assert deeds(after_next) == [*survivors, third]
        assert after_next.damage == (), "the message comes once"
        assert len(after_next.events) - len(deeds(after_next)) == is_torn


def test_a_kill_while_a_broken_off_line_is_set_aside_loses_nothing_more(log: Log) -> None:
    first = log.append("hint", {"number": 1}, NOW)
    path = file_of(log)
    torn = path.read_bytes() + b'{"id":"0195'
    path.write_bytes(torn)
    log.append("hint", {"number": 2}, NOW)
    whole = path.read_bytes()
    for length in range(len(torn), len(whole), 3):
        path.write_bytes(whole[:length])
        third = log.append("hint", {"number": 3}, NOW)
        found = deeds(log.read())
        assert found[0] == first
        assert found[-1] == third


def write_until_killed(home: Path, told: Any) -> None:
    log = Log(home)
    number = 0
    while True:
        log.append("hint", {"number": number, "padding": "x" * 300_000}, NOW)
        told.send(number)
        number += 1


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("patience", [0.0, 0.003, 0.011])
def test_a_writer_that_is_killed_loses_at_most_what_it_was_writing(log: Log, home: Path, patience: float) -> None:
    listen, tell = CONTEXT.Pipe(duplex=False)
    writer = CONTEXT.Process(target=write_until_killed, args=(home, tell))
    writer.start()
    assert writer.pid is not None
    listen.recv()
    time.sleep(patience)
    os.kill(writer.pid, signal.SIGKILL)
    writer.join()
    tell.close()
    acknowledged = 0
    while listen.poll():
        try:
            acknowledged = listen.recv()
        except EOFError:
            break
    last = log.append("hint", {"number": "last"}, NOW)
    history = log.read()
    assert history.damage == ()
    numbers = [event.payload["number"] for event in deeds(history) if event != last]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) in (acknowledged + 1, acknowledged + 2)
    assert last in history.events


def test_the_first_event_waits_for_the_disk_to_know_the_files_name(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    log.device()
    synced: list[bool] = []
    fsync: Callable[[int], None] = os.fsync
    stat = os.fstat

    def watch(descriptor: int) -> None:
        synced.append(stat(descriptor).st_mode & 0o170000 == 0o040000)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watch)
    log.append("hint", {}, NOW)
    log.append("hint", {}, NOW)
    folder_too = sys.platform != "win32"
    assert synced == [False, *[True] * folder_too, False]


@pytest.mark.parametrize("glance", [1, 2, 7, 4096])
@pytest.mark.parametrize(
    ("text", "ending"),
    [
        (b"", (b"", b"")),
        (b"torn", (b"", b"torn")),
        (b"\n", (b"", b"")),
        (b"whole\n", (b"whole", b"")),
        (b"first line\nsecond\n", (b"second", b"")),
        (b"first line\nsecond\ntorn and long", (b"second", b"torn and long")),
        (b"first\n\ntorn", (b"", b"torn")),
    ],
)
def test_the_end_of_a_file_is_found_however_long_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, glance: int, text: bytes, ending: tuple[bytes, bytes]
) -> None:
    monkeypatch.setattr("grader.records.files._GLANCE", glance)
    path = tmp_path / "lines"
    path.write_bytes(text)
    with open_tail(path) as tail:
        assert tail.ending() == ending


def test_moments_of_one_study_day_never_step_back(log: Log) -> None:
    hours = (5, 3, 4, 9, 0)
    events = [log.append("hint", {"hour": hour}, NOW + timedelta(hours=hour)) for hour in hours]
    assert deeds(log.read()) == events
    assert events[0].at == NOW + timedelta(hours=5)
    assert events[3].at == NOW + timedelta(hours=9)


def test_a_clock_that_is_set_back_to_another_study_day_is_taken_at_its_word(log: Log) -> None:
    log.append("hint", {}, NOW)
    assert log.append("hint", {}, NOW - timedelta(days=1)).at == NOW - timedelta(days=1)
