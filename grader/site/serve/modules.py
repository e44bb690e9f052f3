"""The learner's modules as they lie on the disk now, read again only when one of them has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from grader.course.model import Course
from grader.workspace import Submission, read_submission


class FileStamp(NamedTuple):
    """By what a file is known to be unchanged."""

    modified: int
    changed: int
    size: int
    inode: int
    mode: int


Stamp: TypeAlias = FileStamp | None
"""None for a file that is not there."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The modules that can be run, why others cannot, in a sentence, and the digest of it all."""

    texts: Mapping[str, str]
    problems: Mapping[str, str]
    digest: str


class Modules:
    """The lesson modules of one folder. Any thread may ask."""

    def __init__(self, folder: Path, course: Course) -> None:
        self.folder = folder
        self._course = course
        self._known: tuple[Mapping[str, Stamp], Submission, Sources] | None = None

    def stamps(self) -> dict[str, Stamp]:
        """The stamp of each lesson's module, by slug."""
        return {lesson.slug: _stamp(self.folder / f"{lesson.slug}.py") for lesson in self._course.lessons}

    def submission(self) -> Submission:
        """What would be graded now."""
        return self._read()[1]

    def sources(self) -> Sources:
        """What would run now."""
        return self._read()[2]

    def _read(self) -> tuple[Mapping[str, Stamp], Submission, Sources]:
        stamps = self.stamps()  # before reading: what is saved meanwhile is then found to be new
        known = self._known
        if known is None or known[0] != stamps:
            submission = read_submission(self.folder, self._course)
            texts = submission.sources()
            problems = {file.slug: str(file.problem) for file in submission.files if file.problem}
            known = self._known = (stamps, submission, Sources(texts, problems, _digest(texts, problems)))
        return known


def _stamp(path: Path) -> Stamp:
    try:
        found = path.lstat()
    except OSError:
        return None
    return FileStamp(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode)


def _digest(texts: Mapping[str, str], problems: Mapping[str, str]) -> str:
    made = hashlib.sha256()
    for slug, text in (*sorted(texts.items()), *sorted(problems.items())):
        made.update(f"{slug}\0{len(text)}\0".encode())
        made.update(text.encode("utf-8", "surrogatepass"))
    return made.hexdigest()[:16]


def identity(folder: Path) -> tuple[int, int] | None:
    """Which folder lies at a path: one that is made anew under the same name is another. None if there is none."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino)
