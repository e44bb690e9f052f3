"""Records travel between machines: nothing is lost, nothing comes twice, nothing is rewritten."""

import errno
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from grader.errors import UserError
from grader.records.event import Event, to_line
from grader.records.exchange import Imported, export, import_
from grader.records.log import Log, LogUnwritable

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def log(home: Path) -> Log:
    return Log(home)


@pytest.fixture
def other(tmp_path: Path) -> Log:
    return Log(tmp_path / "other")


def hints(log: Log, count: int, after: int = 0) -> list[Event]:
    return [log.append("hint", {"number": n}, NOW + timedelta(hours=after + n)) for n in range(count)]


def contents(log: Log) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in log.folder.iterdir()}


def test_an_export_has_all_events_of_all_devices_in_order(log: Log, other: Log) -> None:
    late, early = hints(log, 2, after=10), hints(other, 2)
    import_(log, [other.home])
    lines = export(log.read()).decode("ascii").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [event.id for event in early + late]


def test_an_export_of_nothing_is_empty(log: Log) -> None:
    assert export(log.read()) == b""


def test_an_export_that_is_imported_is_the_same_history(log: Log, other: Log, tmp_path: Path) -> None:
    hints(other, 3)
    file = tmp_path / "all.jsonl"
    file.write_bytes(export(other.read()))
    assert import_(log, [file]) == Imported(new=3, known=0, damaged=())
    assert log.read() == other.read()
    assert export(log.read()) == export(other.read())


def test_a_second_time_adds_nothing(log: Log, other: Log) -> None:
    hints(log, 1)
    hints(other, 3)
    import_(log, [other.folder])
    before = contents(log)
    assert import_(log, [other.folder]) == Imported(new=0, known=3, damaged=())
    assert contents(log) == before


def test_importing_touches_no_file_that_is_there(log: Log, other: Log) -> None:
    hints(log, 2)
    hints(other, 2)
    before = contents(log)
    import_(log, [other.folder])
    after = contents(log)
    assert before.items() <= after.items()
    (name,) = after.keys() - before.keys()
    assert name.startswith("import-")
    assert name.endswith(".jsonl")


def test_only_what_is_new_is_written(log: Log, other: Log) -> None:
    hints(other, 2)
    import_(log, [other.home])
    (third,) = hints(other, 1, after=5)
    assert import_(log, [other.home]) == Imported(new=1, known=2, damaged=())
    assert to_line(third).encode() in contents(log).values()


def test_two_machines_that_import_from_each_other_agree(log: Log, other: Log) -> None:
    hints(log, 3)
    hints(other, 2)
    import_(log, [other.home])
    import_(other, [log.home])
    assert log.read().events == other.read().events
    assert len(log.read().events) == 5


def test_events_of_one_id_and_other_contents_end_the_same_on_both_machines(log: Log, other: Log) -> None:
    (event,) = hints(log, 1)
    other.folder.mkdir(parents=True)
    forged = to_line(event).replace('"number":0', '"number":9')
    (other.folder / "forged.jsonl").write_text(forged)
    import_(log, [other.home])
    import_(other, [log.home])
    assert log.read().events == other.read().events == (event,)
    assert import_(other, [log.home]).new == 0


def test_damaged_lines_are_named_and_left_out(log: Log, tmp_path: Path) -> None:
    (event,) = hints(Log(tmp_path / "other"), 1)
    file = tmp_path / "all.jsonl"
    file.write_bytes(b"nonsense\n" + to_line(event).encode() + b'{"id":"0195')
    imported = import_(log, [file])
    assert (imported.new, imported.known) == (1, 0)
    assert [str(damage) for damage in imported.damaged] == [
        f"{file}, line {line} is damaged and left out (it is not JSON). All other records are read." for line in (1, 3)
    ]
    assert log.read().events == (event,)
    assert log.read().damage == ()


def test_what_the_other_log_has_set_aside_is_not_named_again(log: Log, other: Log) -> None:
    hints(other, 1)
    (path,) = other.folder.iterdir()
    with path.open("ab") as file:
        file.write(b'{"id":"0195')
    hints(other, 1, after=1)
    assert import_(log, [other.home]).damaged == ()


@pytest.mark.parametrize("files", [["missing.jsonl"], ["good.jsonl", "missing.jsonl"]])
def test_a_file_that_is_not_there_imports_nothing(log: Log, other: Log, tmp_path: Path, files: list[str]) -> None:
    hints(other, 1)
    (tmp_path / "good.jsonl").write_bytes(export(other.read()))
    with pytest.raises(UserError) as caught:
        import_(log, [tmp_path / name for name in files])
    path = tmp_path / "missing.jsonl"
    assert str(caught.value) == f"{path} cannot be read (No such file or directory). Nothing was imported."
    assert log.read().events == ()


def test_a_folder_without_records_is_one_sentence(log: Log, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=r"no file there ends in \.jsonl"):
        import_(log, [tmp_path / "empty"])


def test_an_import_that_is_broken_off_leaves_no_half_file(
    log: Log, other: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    hints(log, 1)
    hints(other, 2)
    before = contents(log)

    def refuse(*args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", refuse)
        with pytest.raises(LogUnwritable, match="No space left on device"):
            import_(log, [other.home])
    assert contents(log) == before
    assert import_(log, [other.home]).new == 2
