"""What a learner hands in: the lesson modules, and the records if they are to come along, as one zip.

The same files give the same bytes: entries are in order and bear no time. There is no name of a person or a machine in
it; a file of records is named by the random id that its machine drew for itself.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader import __version__
from grader.course.model import Course, Exercise
from grader.errors import UserError
from grader.judge.source import StudentSource, parse_submission
from grader.workspace.submission import MODULE_FOLDER, Problem, read_module, submission_of

KIND = "decoder-anatomy submission"
VERSION = 1
MANIFEST = "manifest.json"
LOG_FOLDER = "log"
MOST_LOG_BYTES = 50_000_000
"""Of all records together: fifty thousand answers are about a third of it."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can name."""


@dataclass(frozen=True)
class HandedModule:
    """One module. open: its exercises that are not begun; problem: why it cannot be graded as it is, "" if it can."""

    lesson: str
    open: tuple[Exercise, ...]
    exercises: int
    problem: str


@dataclass(frozen=True)
class Parcel:
    """What is handed in. missing: lessons without a file; logs: files of records by name."""

    modules: tuple[HandedModule, ...]
    missing: tuple[str, ...]
    logs: tuple[str, ...]
    content: bytes


def pack(folder: Path, course: Course, logs: Sequence[Path] = ()) -> Parcel:
    """The lesson modules that lie in `folder`, and these files of records.

    Raises UserError for a module that is a link, no file, unreadable or too large, and when there is no module at all.
    """
    found: dict[str, bytes] = {}
    for lesson in course.lessons:
        raw = read_module(folder / f"{lesson.slug}.py")
        if not isinstance(raw, Problem):
            found[lesson.slug] = raw
        elif raw.kind != "missing":
            raise UserError(f"{raw.message} Nothing was packed.")
    if not found:
        raise UserError(f"There is no lesson file in {folder}, so nothing was packed. `anatomy start` writes them.")
    entries = {f"{MODULE_FOLDER}/{slug}.py": raw for slug, raw in found.items()}
    entries |= _records(logs)
    missing = tuple(lesson.slug for lesson in course.lessons if lesson.slug not in found)
    names = tuple(name for name in entries if name.startswith(f"{LOG_FOLDER}/"))
    return Parcel(_looked_at(found, course), missing, names, _zipped({MANIFEST: _manifest(entries), **entries}))


def is_parcel(path: Path) -> bool:
    """Whether a file is a zip that `pack` made."""
    try:
        with zipfile.ZipFile(path) as archive:
            document = json.loads(archive.read(MANIFEST))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, RuntimeError, NotImplementedError):
        return False
    return isinstance(document, dict) and document.get("kind") == KIND


def _records(logs: Sequence[Path]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    left = MOST_LOG_BYTES
    for path in logs:
        try:
            with path.open("rb") as file:
                raw = file.read(left + 1)
        except OSError as error:
            raise UserError(f"Your records in {path} cannot be read ({error.strerror or error}).") from error
        left -= len(raw)
        if left < 0:
            raise UserError(
                f"Your records are larger than {MOST_LOG_BYTES // 1_000_000} MB. Hand in without --with-log, and ask."
            )
        found[f"{LOG_FOLDER}/{path.name}"] = raw
    return found


def _looked_at(found: Mapping[str, bytes], course: Course) -> tuple[HandedModule, ...]:
    """What can be said of the modules without running them."""
    submission = submission_of("", found, course)
    student = parse_submission(submission.sources())
    modules = []
    for lesson in course.lessons:
        if lesson.slug not in found:
            continue
        problem = submission.file(lesson.slug).problem
        waiting = () if problem else tuple(e for e in lesson.exercises if not _is_begun(student, e))
        modules.append(
            HandedModule(lesson.slug, waiting, len(lesson.exercises), problem.message if problem is not None else "")
        )
    return tuple(modules)


def _is_begun(student: StudentSource, exercise: Exercise) -> bool:
    definition = student.definition(exercise.lesson, exercise.name)
    return not definition.is_stub and not definition.problem


def _manifest(entries: Mapping[str, bytes]) -> bytes:
    files = {name: hashlib.sha256(raw).hexdigest() for name, raw in entries.items()}
    document = {"kind": KIND, "version": VERSION, "course": __version__, "sha256": files}
    return (json.dumps(document, indent=1) + "\n").encode()


def _zipped(entries: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, raw in entries.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3  # the same on every system
            archive.writestr(entry, raw, compresslevel=9)
    return buffer.getvalue()
