"""The log only grows: what is damaged is reported and left, what is whole is read."""

import errno
import json
import multiprocessing
import os
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UserError
from grader.records.event import Event, from_line, new_event, to_line
from grader.records.log import Log, LogUnreadable, LogUnwritable, log_home

NOW = datetime(2026, 3, 1, 1, 30, tzinfo=timezone(timedelta(hours=5, minutes=30)))


@pytest.fixture
def log(home: Path) -> Log:
    return Log(home)


def file_of(log: Log) -> Path:
    (path,) = log.folder.glob("*.jsonl")
    return path


def test_an_event_has_exactly_the_fields_of_the_format(log: Log) -> None:
    event = log.append("hint", {"exercise": "a.b", "number": 1}, NOW)
    (line,) = file_of(log).read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == {
        "id": event.id,
        "type": "hint",
        "at": "2026-02-28T20:00:00Z",
        "offset_min": 330,
        "rollover_hour": 4,
        "study_day": "2026-02-28",
        "device": log.device(),
        "payload": {"exercise": "a.b", "number": 1},
    }
    assert UUID(event.id).version == 7


def test_events_are_read_back_as_they_were_written(log: Log) -> None:
    events = [log.append("hint", {"number": number}, NOW, rollover_hour=2) for number in range(3)]
    history = log.read()
    assert list(history.events) == events
    assert history.damage == ()


def test_a_log_that_was_never_written_is_empty(log: Log, home: Path) -> None:
    assert log.read().events == ()
    assert not home.exists()


def test_the_study_day_is_stored_not_computed_again(log: Log) -> None:
    log.append("hint", {}, NOW, rollover_hour=0)
    assert log.read().events[0].study_day == date(2026, 3, 1)


def test_the_device_is_made_once(log: Log, home: Path) -> None:
    log.append("hint", {}, NOW)
    log.append("hint", {}, NOW)
    assert Log(home).device() == log.device()
    assert file_of(log).stem == log.device()
    assert sorted(path.name for path in home.iterdir()) == ["device", "log"]


def test_a_damaged_device_file_is_named_and_left(log: Log, home: Path) -> None:
    home.mkdir()
    (home / "device").write_bytes(b"../\xff")
    with pytest.raises(LogUnwritable, match="it should hold the id of this machine; move the file away"):
        log.append("hint", {}, NOW)
    assert (home / "device").read_bytes() == b"../\xff"


def test_files_of_several_devices_are_one_history(log: Log, tmp_path: Path) -> None:
    later = log.append("hint", {"number": 2}, NOW + timedelta(hours=1))
    other = Log(tmp_path / "other")
    earlier = other.append("hint", {"number": 1}, NOW)
    for name in (file_of(other).name, "a-copy.jsonl"):
        (log.folder / name).write_bytes(file_of(other).read_bytes())
    assert log.read().events == (earlier, later)


def test_a_broken_off_write_is_reported_and_nothing_else_is_lost(log: Log) -> None:
    first = log.append("hint", {"number": 1}, NOW)
    path = file_of(log)
    with path.open("ab") as file:
        file.write(b'{"id":"0195')
    history = log.read()
    assert history.events == (first,)
    (damage,) = history.damage
    assert damage.torn
    assert str(damage) == (
        f"The last write to {path} was broken off (line 2). That one record is set aside; "
        "all others are read, and new ones follow it."
    )


def test_after_a_broken_off_write_the_log_goes_on_and_is_quiet(log: Log) -> None:
    first = log.append("hint", {"number": 1}, NOW)
    path = file_of(log)
    with path.open("ab") as file:
        file.write(b'{"id":"0195')
    before = path.read_bytes()
    second = log.append("hint", {"number": 2}, NOW)
    assert path.read_bytes().startswith(before + b"\n")
    history = log.read()
    assert [event for event in history.events if event.type == "hint"] == [first, second]
    assert history.damage == ()


def test_a_whole_event_without_its_line_feed_counts(log: Log) -> None:
    first = log.append("hint", {"number": 1}, NOW)
    path = file_of(log)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert log.read().events == (first,)
    second = log.append("hint", {"number": 2}, NOW)
    assert log.read().events == (first, second)
    assert log.read().damage == ()


GOOD = to_line(new_event("hint", {"number": 1}, NOW, "machine"))


def changed(**fields: object) -> str:
    return json.dumps(json.loads(GOOD) | fields)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nonsense", "it is not JSON"),
        ("[1]", "it is not a JSON object"),
        ("[" * 100_000, "it is nested too deeply"),
        (GOOD[:-10], "it is not JSON"),
        (changed(id="seven"), "id is 'seven'"),
        (changed(id=None), "id is missing"),
        (changed(at="2026-03-01T00:00:00"), "at is '2026-03-01T00:00:00', which has no offset"),
        (changed(at="0001-01-01T00:00:00+10:00"), "at is '0001-01-01T00:00:00+10:00'"),
        (changed(offset_min=1440), "offset_min is 1440"),
        (changed(offset_min=True), "offset_min is True"),
        (changed(rollover_hour=7), "rollover_hour is 7"),
        (changed(study_day="yesterday"), "study_day is 'yesterday'"),
        (changed(payload=[]), "payload is []"),
        (GOOD.replace('"number":1', '"number":NaN'), "it is not JSON"),
        ("\udcff", "it is not UTF-8"),
    ],
)
def test_a_damaged_line_is_reported_with_its_reason_and_stays(log: Log, line: str, reason: str) -> None:
    first = log.append("hint", {}, NOW)
    path = file_of(log)
    with path.open("ab") as file:
        file.write(line.rstrip("\n").encode("utf-8", "surrogateescape") + b"\n")
    last = log.append("hint", {}, NOW)
    before = path.read_bytes()
    history = log.read()
    assert history.events == (first, last)
    assert [str(damage) for damage in history.damage] == [
        f"{path}, line 2 is damaged and left out ({reason}). All other records are read."
    ]
    assert path.read_bytes() == before


def test_blank_lines_are_no_damage(log: Log) -> None:
    event = log.append("hint", {}, NOW)
    with file_of(log).open("ab") as file:
        file.write(b"\n\r\n")
    assert log.read().events == (event,)
    assert log.read().damage == ()


def test_types_of_later_versions_are_kept(log: Log) -> None:
    event = log.append("review", {"item": "x", "score": 0.5}, NOW)
    assert log.read().events == (event,)


@pytest.mark.parametrize("place", ["home", "home/log", "home/device"])
def test_a_home_that_cannot_be_written_is_one_sentence(tmp_path: Path, log: Log, place: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    if place == "home/device":
        path.mkdir()
    else:
        path.write_text("a file in the way\n")
    with pytest.raises(LogUnwritable) as caught:
        log.append("hint", {}, NOW)
    assert str(caught.value).startswith("This could not be recorded: ")
    assert str(caught.value).endswith("Make the folder writable, or name another one in ANATOMY_HOME.")
    assert caught.value.exit_code == 2


def test_a_read_only_home_is_one_sentence(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    log.append("hint", {}, NOW)

    def refuse(*args: object, **options: object) -> int:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(LogUnwritable, match="Read-only file system"):
        log.append("hint", {}, NOW)


def test_records_that_cannot_be_read_are_one_sentence(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    log.append("hint", {}, NOW)

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(LogUnreadable, match=r"cannot be read \(Permission denied\)"):
        log.read()


def test_a_full_disk_loses_no_earlier_event(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    first = log.append("hint", {"number": 1}, NOW)
    write = os.write
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:20]))
        with pytest.raises(LogUnwritable, match="the disk is full"):
            log.append("hint", {"number": 2}, NOW)
    third = log.append("hint", {"number": 3}, NOW)
    assert [event for event in log.read().events if event.type == "hint"] == [first, third]


def test_each_event_is_one_write_and_on_the_disk_before_append_returns(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append("hint", {}, NOW)
    calls: list[str] = []
    write, fsync = os.write, os.fsync
    monkeypatch.setattr(os, "write", lambda *args: (calls.append("write"), write(*args))[1])
    monkeypatch.setattr(os, "fsync", lambda *args: (calls.append("fsync"), fsync(*args))[1])
    log.append("hint", {}, NOW)
    assert calls == ["write", "fsync"]


def append_many(home: Path, count: int) -> None:
    log = Log(home)
    for number in range(count):
        log.append("hint", {"number": number, "padding": "x" * 5000}, NOW)


def test_processes_that_write_at_once_lose_nothing(log: Log, home: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=append_many, args=(home, 20)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    history = log.read()
    assert len(history.events) == 40
    assert history.damage == ()


def test_the_home_is_the_variable_or_the_platforms_folder(tmp_path: Path) -> None:
    assert log_home({"ANATOMY_HOME": str(tmp_path)}) == tmp_path
    assert log_home({"ANATOMY_HOME": "~/records"}) == Path.home() / "records"
    assert log_home({}).name == "decoder-anatomy"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(
    payload=st.dictionaries(st.text(), json_values, max_size=4),
    at=st.datetimes(
        min_value=datetime(1970, 1, 3),  # noqa: DTZ001  the zone is drawn beside it
        max_value=datetime(9998, 12, 30),  # noqa: DTZ001
        timezones=st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes))),
    ),
    rollover=st.integers(0, 6),
)
def test_any_event_survives_its_line(payload: dict[str, object], at: datetime, rollover: int) -> None:
    event = new_event("any", payload, at, "machine", rollover)
    line = to_line(event)
    assert line.isascii()
    assert line.count("\n") == 1
    assert from_line(line) == event


def test_numbers_that_json_lacks_are_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        to_line(new_event("any", {"score": float("nan")}, NOW, "machine"))


def test_a_time_without_offset_is_refused() -> None:
    with pytest.raises(ValueError, match="UTC offset"):
        new_event("any", {}, NOW.replace(tzinfo=None), "machine")


@given(st.lists(st.binary(max_size=40).filter(lambda raw: b"\n" not in raw), max_size=6))
def test_whatever_lies_between_events_they_are_read(
    tmp_path_factory: pytest.TempPathFactory, rubbish: list[bytes]
) -> None:
    log = Log(tmp_path_factory.mktemp("home"))
    events: list[Event] = []
    for raw in rubbish:
        events.append(log.append("hint", {}, NOW))
        with file_of(log).open("ab") as file:
            file.write(raw)
    events.append(log.append("hint", {}, NOW))
    assert [event for event in log.read().events if event.type == "hint"] == events
    assert log.read().damage == ()


def test_a_folder_that_may_not_be_read_is_not_an_empty_one(tmp_path: Path) -> None:
    """Lost access must not look like lost progress."""
    (tmp_path / "log").write_text("a file where the folder should be")
    with pytest.raises(LogUnreadable, match="cannot be read"):
        Log(tmp_path).read()


def test_the_home_of_nobody_is_one_sentence() -> None:
    with pytest.raises(UserError, match="no such user"):
        log_home({"ANATOMY_HOME": "~nobody-of-that-name/records"})
