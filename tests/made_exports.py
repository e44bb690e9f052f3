"""Exports as the platforms write them, built from a list of students: each builder writes a folder, `as_zip` packs it.

    exports.canvas(tmp_path / "hw1", [Handed("42", "Ann Lee", {"normalization.py": source})])

Every builder takes (folder, students) and returns the folder. `BUILDERS` names those that take any id; for Canvas and
Moodle an id must be digits. Paths in `files` may hold '/': a flat platform hands those out as one zip.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import yaml

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Handed:
    """One student's files. at: when (Gradescope, Blackboard and nbgrader write it); late: Canvas's mark."""

    id: str
    name: str
    files: Mapping[str, bytes]
    at: datetime = NOON
    late: bool = False
    email: str = ""
    group: str = field(default="", kw_only=True)
    """Students of one group hand in the files of the first together (Gradescope)."""


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip of files, by path."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return data.getvalue()


def as_zip(folder: Path, wrapped: bool = False) -> Path:
    """A built export as the zip that is downloaded, beside the folder; wrapped: with the folder itself in it."""
    path = folder.with_name(folder.name + ".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(each for each in folder.rglob("*") if each.is_file()):
            archive.write(file, file.relative_to(folder.parent if wrapped else folder))
    return path


def folders(where: Path, students: Iterable[Handed]) -> Path:
    """A folder a student."""
    for student in students:
        write(where / student.id, student.files)
    return where


def python_files(where: Path, students: Iterable[Handed]) -> Path:
    """A `.py` a student: the first of the files."""
    return write(where, {f"{each.id}.py": next(iter(each.files.values())) for each in students})


def zips(where: Path, students: Iterable[Handed]) -> Path:
    """A zip a student."""
    return write(where, {f"{each.id}.zip": zipped(each.files) for each in students})


def repositories(where: Path, students: Iterable[Handed], prefix: str = "hw1-") -> Path:
    """A cloned repository a student."""
    git = {".git/HEAD": b"ref: refs/heads/main\n", ".git/config": b"[core]\n"}
    for student in students:
        write(where / f"{prefix}{student.id}", {**git, "README.md": b"# Homework\n", **student.files})
    return where


def gradescope(where: Path, students: Iterable[Handed], first: int = 1000) -> Path:
    """A folder a submission, and the metadata. The id is `:sid`; where it is '', only name and email are written."""
    groups: dict[str, list[Handed]] = {}
    for place, student in enumerate(students):
        groups.setdefault(student.group or f"alone {place}", []).append(student)
    entries = {}
    for number, group in enumerate(groups.values(), first):
        folder = f"submission_{number}"
        write(where / folder, group[0].files)
        entries[folder] = {
            ":submitters": [{":name": each.name, ":sid": each.id or None, ":email": each.email} for each in group],
            ":created_at": group[0].at.strftime("%Y-%m-%d %H:%M:%S.%f000 %z"),
            ":score": 0.0,
            ":status": "processed",
            ":results": {"tests": []},
            ":history": [],
        }
    text = yaml.safe_dump(entries, allow_unicode=True, sort_keys=False, explicit_start=True)
    return write(where, {"submission_metadata.yml": text.encode()})


def canvas(where: Path, students: Iterable[Handed], first: int = 9000) -> Path:
    """Flat files. A student who is there twice has handed in again, and the files are numbered."""
    seen: dict[tuple[str, str], int] = {}
    files = {}
    attachment = first
    for student in students:
        # Canvas drops what is no letter or digit.
        name = "".join(char for char in student.name.lower() if char.isalnum())
        for file, content in flat(student.files).items():
            attachment += 1
            count = seen[student.id, file] = seen.get((student.id, file), -1) + 1
            stem, _, ending = file.rpartition(".")
            shown = f"{stem}-{count}.{ending}" if count else file
            files[f"{name}_{'LATE_' if student.late else ''}{student.id}_{attachment}_{shown}"] = content
    return write(where, files)


def moodle(where: Path, students: Iterable[Handed]) -> Path:
    """A folder a student."""
    for student in students:
        write(where / f"{student.name}_{student.id}_assignsubmission_file_", student.files)
    return where


def moodle_flat(where: Path, students: Iterable[Handed]) -> Path:
    """Moodle's other form, without folders."""
    for each in students:
        head = f"{each.name}_{each.id}_assignsubmission_file_"
        write(where, {f"{head}{file}": content for file, content in flat(each.files).items()})
    return where


def blackboard(where: Path, students: Iterable[Handed], assignment: str = "Home work_1", receipts: bool = True) -> Path:
    """Flat files; a student who is there twice has a second attempt, an hour later if at the same time."""
    taken: set[tuple[str, datetime]] = set()
    for each in students:
        at = each.at
        while (each.id, at) in taken:
            at += timedelta(hours=1)
        taken.add((each.id, at))
        head = f"{assignment}_{each.id}_attempt_{at:%Y-%m-%d-%H-%M-%S}"
        files = {f"{head}_{file}": content for file, content in flat(each.files).items()}
        receipt = f"Name: {each.name} ({each.id})\nAssignment: {assignment}\nDate Submitted: Sunday\n\nFiles:\n"
        write(where, files | ({f"{head}.txt": receipt.encode()} if receipts else {}))
    return where


def nbgrader(where: Path, students: Iterable[Handed], assignment: str = "ps1") -> Path:
    """`submitted/<student>/<assignment>/`."""
    for each in students:
        time = f"{each.at.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f} UTC\n"
        write(where / "submitted" / each.id / assignment, {"timestamp.txt": time.encode(), **each.files})
    return where


BUILDERS: dict[str, Callable[[Path, Sequence[Handed]], Path]] = {
    "folders": folders,
    "zips": zips,
    "repositories": repositories,
    "gradescope": gradescope,
    "canvas": canvas,
    "moodle": moodle,
    "moodle_flat": moodle_flat,
    "blackboard": blackboard,
    "nbgrader": nbgrader,
}
DIGITS_ONLY = ("canvas", "moodle", "moodle_flat")


def flat(files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """What a student hands in where there are no folders."""
    return {"work.zip": zipped(files)} if any("/" in path for path in files) else files


def write(where: Path, files: Mapping[str, bytes]) -> Path:
    """Write files below a folder, which is made even for none."""
    where.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        file = where / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return where
