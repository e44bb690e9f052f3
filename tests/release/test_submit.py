"""What is handed in: only the course's files, the same bytes for the same files, nothing about a person."""

import hashlib
import io
import json
import socket
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli import main
from grader.course.model import Course
from grader.errors import UserError
from grader.workspace import handing_in
from grader.workspace.folder import start
from grader.workspace.handing_in import is_parcel, pack

WRITTEN = """\
def double(x, apply=None, *, eps=1e-5):
    return x + x


def shared(x, label="a: b"):
    return x
"""


@pytest.fixture
def student(tmp_path: Path, made_places: None, made_course: Course, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace of the made course, in which one is."""
    folder = tmp_path / "work"
    start(folder, made_course)
    monkeypatch.chdir(folder)
    return folder / "student"


def submit(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["submit", *arguments], prog_name="anatomy", catch_exceptions=False)


def test_modules_and_a_manifest(student: Path, tmp_path: Path) -> None:
    (student / "first.py").write_text(WRITTEN)
    (student / "notes.txt").write_text("not mine to hand in")
    (student / "other.py").write_text("no lesson")
    done = submit("-o", str(tmp_path / "mine.zip"))
    assert done.exit_code == 0
    assert "student/first.py   all 2 written" in done.output
    assert "student/second.py  nothing written yet" in done.output
    with zipfile.ZipFile(tmp_path / "mine.zip") as archive:
        assert archive.namelist() == ["manifest.json", "student/first.py", "student/second.py"]
        manifest = json.loads(archive.read("manifest.json"))
        digests = {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()[1:]}
    assert manifest["sha256"] == digests
    assert set(manifest) == {"kind", "version", "course", "sha256"}


def test_the_same_files_give_the_same_bytes(student: Path, made_course: Course) -> None:
    before = pack(student, made_course).content
    (student / "first.py").touch()
    assert pack(student, made_course).content == before
    assert socket.gethostname().encode() not in before


def test_what_is_not_written_is_told_without_running_anything(student: Path, tmp_path: Path) -> None:
    (student / "first.py").write_text(WRITTEN.partition("\n\n\ndef shared")[0] + "\n\nraise SystemExit(9)\n")
    (student / "second.py").write_text("def halve(x:\n")
    done = submit("-o", str(tmp_path / "mine.zip"))
    assert done.exit_code == 0
    assert "not written yet: shared" in done.output
    assert "student/second.py  cannot be read as Python:" in done.output


def test_a_missing_file_is_named(student: Path, tmp_path: Path) -> None:
    (student / "second.py").unlink()
    done = submit("-o", str(tmp_path / "mine.zip"))
    assert "Not there, so not handed in: student/second.py." in done.output
    with zipfile.ZipFile(tmp_path / "mine.zip") as archive:
        assert "student/second.py" not in archive.namelist()


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda path: (path.unlink(), path.symlink_to("/etc/passwd")), "is a link and is not followed"),
        (lambda path: path.write_bytes(b"#" * 1_000_001), "is larger than 1 MB"),
        (lambda path: (path.unlink(), path.mkdir()), "is a folder"),
    ],
)
def test_what_is_no_module_is_refused(
    student: Path, tmp_path: Path, spoil: Callable[[Path], object], says: str
) -> None:
    spoil(student / "first.py")
    done = submit("-o", str(tmp_path / "mine.zip"))
    assert done.exit_code == 2
    assert says in done.output
    assert "Nothing was packed." in done.output
    assert not (tmp_path / "mine.zip").exists()


def test_an_earlier_parcel_is_replaced_and_nothing_else(student: Path, tmp_path: Path) -> None:
    target = tmp_path / "mine.zip"
    assert submit("-o", str(target)).exit_code == 0
    (student / "first.py").write_text(WRITTEN)
    assert submit("-o", str(target)).exit_code == 0
    assert is_parcel(target)
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("holiday.txt", "photos")
    for content in (other.getvalue(), b"no zip", b""):
        (tmp_path / "other.zip").write_bytes(content)
        done = submit("-o", str(tmp_path / "other.zip"))
        assert done.exit_code == 2
        assert "was not made by `anatomy submit`" in done.output
        assert (tmp_path / "other.zip").read_bytes() == content
    (tmp_path / "link.zip").symlink_to(target)
    assert submit("-o", str(tmp_path / "link.zip")).exit_code == 2
    assert submit("-o", str(tmp_path)).exit_code == 2
    assert "ends in .zip" in submit("-o", str(tmp_path / "mine.tar")).output


def test_records_come_along_when_asked(student: Path, tmp_path: Path, home: Path) -> None:
    assert CliRunner().invoke(main, ["hint", "double"]).exit_code == 0
    submit("-o", str(tmp_path / "without.zip"))
    done = submit("-o", str(tmp_path / "with.zip"), "--with-log")
    device = (home / "device").read_text().strip()
    with zipfile.ZipFile(tmp_path / "with.zip") as archive:
        assert archive.namelist()[-1] == f"log/{device}.jsonl"
        assert archive.read(f"log/{device}.jsonl") == (home / "log" / f"{device}.jsonl").read_bytes()
    with zipfile.ZipFile(tmp_path / "without.zip") as archive:
        assert not [name for name in archive.namelist() if name.startswith("log/")]
    assert "Your machine stands there as a random number" in " ".join(done.output.split())


def test_no_records_are_said_to_be_none(student: Path, tmp_path: Path) -> None:
    assert "You have no records yet" in submit("-o", str(tmp_path / "mine.zip"), "--with-log").output


def test_vast_records_are_refused(student: Path, made_course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handing_in, "MOST_LOG_BYTES", 10)
    (student / "log.jsonl").write_text("{}" * 9)
    with pytest.raises(UserError, match="without --with-log"):
        pack(student, made_course, [student / "log.jsonl"])


def test_outside_a_workspace(tmp_path: Path, made_places: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = submit("-o", "mine.zip")
    assert done.exit_code == 2
    assert "anatomy start" in done.output
