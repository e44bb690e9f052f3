"""The journal of a run: a line for each submission as it ends, only ever added to. It is the truth of a run.

A line counts when it is whole and the report that it names lies there with the hash that it names. So a kill at any
moment, or a full disk, loses the submissions in flight and invents none.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from grader.batch.entry import Entry, Key
from grader.errors import UserError

JOURNAL = "journal.jsonl"
REPORTS = "reports"
EARLIER = "earlier"
"""Where reports lie that another one of the same student has replaced."""
_DRAFT = ".draft"


@dataclass(frozen=True, slots=True)
class Known:
    """What is kept in memory of an entry. fault: it ended in a fault of the grader's own, and is tried again."""

    file: str
    report: str
    fault: bool


class Journal:
    """The journal in a run's output folder, open for adding to. Raises UserError if another run has it open.

    damaged: numbers of lines that say nothing; their submissions are graded again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[Key, Known] = {}
        self.damaged: list[int] = []
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # it holds everybody's points
            (folder / REPORTS).mkdir(exist_ok=True)
            self._descriptor = os.open(folder / JOURNAL, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise _unwritable(folder, error) from None
        try:
            self._lock()
            self._drop_torn_line()
            for draft in (folder / REPORTS).glob(f".*{_DRAFT}"):
                draft.unlink(missing_ok=True)
            for entry in self.entries():
                self.known[entry.key] = Known(entry.file, entry.report, entry.fault)
        except BaseException:
            os.close(self._descriptor)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            os.fsync(self._descriptor)
        os.close(self._descriptor)

    def entries(self) -> Iterator[Entry]:
        """All whole entries, in the order in which they were written."""
        self.damaged = []
        with (self.folder / JOURNAL).open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    entry = Entry.from_dict(json.loads(line))
                except ValueError:
                    self.damaged.append(number)
                else:
                    yield entry

    def add(self, entry: Entry, report: bytes) -> None:
        """Keep a report and the entry that names it. Raises UserError if the disk is full, say; then neither counts."""
        try:
            self._put_report(entry.file, entry.report, report)
            _write_all(self._descriptor, _line(entry))
        except OSError as error:
            raise _unwritable(self.folder, error) from None
        self.known[entry.key] = Known(entry.file, entry.report, entry.fault)

    def current(self, file: str) -> str | None:
        """The hash of the report that lies at a student's place, None if there is none."""
        try:
            return digest((self.folder / REPORTS / f"{file}.json").read_bytes())
        except OSError:
            return None

    def standing(self, student: str, file: str) -> Key | None:
        """The key of the verdict whose report lies at a student's place; None if none does, or only a fault."""
        present = self.current(file)
        for key, known in self.known.items():
            if key.student == student and (known.file, known.report, known.fault) == (file, present, False):
                return key
        return None

    def report(self, file: str, report: str) -> bytes | None:
        """The bytes of the report of that hash, be it the present one or an earlier one; None if it is gone."""
        for path in (self._place(file), self._earlier(file, report)):
            with suppress(OSError):
                content = path.read_bytes()
                if digest(content) == report:
                    return content
        return None

    def bring_back(self, key: Key, file: str) -> bool:
        """Let the known report of a key be the student's present one again. False if there is none: it must be graded.

        file: the name of the student's files now; under another name it is not known.
        """
        known = self.known.get(key)
        if known is None or known.fault or known.file != file:
            return False
        if self.current(known.file) == known.report:
            return True
        content = self.report(known.file, known.report)
        if content is None:
            return False
        try:
            self._put_report(known.file, known.report, content)
        except OSError as error:
            raise _unwritable(self.folder, error) from None
        return True

    def _put_report(self, file: str, report: str, content: bytes) -> None:
        place = self._place(file)
        present = self.current(file)
        if present is not None and present != report:
            earlier = self._earlier(file, present)
            earlier.parent.mkdir(exist_ok=True)
            place.replace(earlier)
        draft = place.with_name(f".{place.name}{_DRAFT}")
        # Without fsync: whether it reached the disk before the power went shows in its hash.
        draft.write_bytes(content)
        draft.replace(place)

    def _place(self, file: str) -> Path:
        return self.folder / REPORTS / f"{file}.json"

    def _earlier(self, file: str, report: str) -> Path:
        return self.folder / REPORTS / EARLIER / f"{file}.{report[:12]}.json"

    def _lock(self) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                return  # a file system without locks
            raise UserError(
                f"Another run is writing to {self.folder}. Wait for its end, or choose another --out DIR."
            ) from None

    def _drop_torn_line(self) -> None:
        """A kill or a full disk can leave part of a line at the end; the next entry must not be joined to it."""
        size = os.fstat(self._descriptor).st_size
        end = size
        while end and os.pread(self._descriptor, 1, end - 1) != b"\n":
            back = max(0, end - 4096)
            end = back + os.pread(self._descriptor, end - back, back).rfind(b"\n") + 1
        if end != size:
            os.ftruncate(self._descriptor, end)


def digest(content: bytes) -> str:
    """The hash by which an entry names its report."""
    return hashlib.sha256(content).hexdigest()


def _line(entry: Entry) -> bytes:
    return json.dumps(entry.to_dict(), separators=(",", ":")).encode("ascii") + b"\n"


def _write_all(descriptor: int, line: bytes) -> None:
    start = os.fstat(descriptor).st_size
    written = os.write(descriptor, line)
    if written != len(line):  # the disk is full: half a line says nothing, and is taken back
        os.ftruncate(descriptor, start)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _unwritable(folder: Path, error: OSError) -> UserError:
    said = error.strerror or type(error).__name__
    return UserError(
        f"{folder} cannot be written to: {said}. What was graded is kept: mend that, then run the same command again."
    )
