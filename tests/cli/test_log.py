"""Records travel from one machine to another, and nothing counts twice."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import Result

from grader.records.log import Log

Anatomy = Callable[..., Result]

NOON = datetime(2026, 2, 28, 12, tzinfo=UTC)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Log:
    """The log of another machine, on which the first lesson was completed."""
    log = Log(tmp_path / "elsewhere")
    log.append("complete", {"lesson": "first"}, NOON)
    log.append("pause", {"lesson": "second"}, NOON)
    return log


def test_records_of_another_machine_count_here(
    anatomy: Anatomy, elsewhere: Log, workspace: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setenv("ANATOMY_HOME", str(elsewhere.home))
    done = anatomy("log", "export", "-o", "mine.jsonl")
    assert done.output == "Wrote mine.jsonl: 2 records. Elsewhere: anatomy log import mine.jsonl\n"
    monkeypatch.setenv("ANATOMY_HOME", str(home))
    assert anatomy("due", "--count").output == "0\n"
    assert anatomy("log", "import", "mine.jsonl").output == "Took in 2 records.\n"
    assert anatomy("due", "--count").output == "1\n"


def test_a_second_time_adds_nothing(anatomy: Anatomy, elsewhere: Log) -> None:
    anatomy("log", "import", str(elsewhere.home))
    done = anatomy("log", "import", str(elsewhere.home))
    assert done.output == "Took in 0 records; 2 records were here already.\n"


def test_export_to_the_standard_output_is_the_file_alone(anatomy: Anatomy, elsewhere: Log, home: Path) -> None:
    anatomy("log", "import", str(elsewhere.folder))
    lines = anatomy("log", "export", "-o", "-").stdout_bytes
    assert lines == next(elsewhere.folder.iterdir()).read_bytes()


def test_a_damaged_line_is_named_and_the_others_are_taken_in(anatomy: Anatomy, elsewhere: Log) -> None:
    (path,) = elsewhere.folder.iterdir()
    path.write_bytes(b"{}\n" + path.read_bytes())
    done = anatomy("log", "import", str(path))
    assert (done.exit_code, done.stdout) == (0, "Took in 2 records.\n")
    assert done.stderr.startswith(f"Note: {path}, line 1 is damaged and left out")
    (path,) = elsewhere.folder.iterdir()
    assert path.read_bytes().startswith(b"{}\n")


def test_a_file_that_is_not_there_stops_the_whole_import(anatomy: Anatomy, elsewhere: Log, home: Path) -> None:
    done = anatomy("log", "import", str(elsewhere.folder), "nowhere.jsonl")
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: nowhere.jsonl cannot be read")
    assert not (home / "log").exists()


def test_nothing_recorded_is_nothing_to_export(anatomy: Anatomy, workspace: Path) -> None:
    done = anatomy("log", "export", "-o", "mine.jsonl")
    assert (done.exit_code, done.stderr) == (2, "Error: Nothing is recorded yet, so nothing was written.\n")
    assert list(workspace.iterdir()) == []


def test_of_much_damage_the_first_lines_are_named_and_the_rest_is_counted(anatomy: Anatomy, elsewhere: Log) -> None:
    (path,) = elsewhere.folder.iterdir()
    path.write_bytes(b"{}\n" * 20 + path.read_bytes())
    done = anatomy("log", "import", str(path))
    assert (done.exit_code, done.stdout) == (0, "Took in 2 records.\n")
    assert len(done.stderr.splitlines()) == 6
    assert done.stderr.endswith("Note: 15 more lines are damaged and left out.\n")


def test_a_file_without_any_record_is_an_error(anatomy: Anatomy, tmp_path: Path, home: Path) -> None:
    path = tmp_path / "photo.jsonl"
    path.write_bytes(b"\xff\xd8\xff\n\x00")
    done = anatomy("log", "import", str(path))
    assert done.exit_code == 2
    assert "not one record" in done.stderr
    assert not (home / "log").exists()
