"""The append-only log of a learner: one file per device, one JSON object a line, nothing ever rewritten.

Several machines are merged by putting their files into one folder: the history is the union of the events by id.
"""

import hashlib
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.errors import UserError
from grader.records.clock import DEFAULT_ROLLOVER_HOUR
from grader.records.event import Event, from_line, new_event, to_line

HOME_VARIABLE = "ANATOMY_HOME"
QUARANTINE = "quarantine"

_DEVICE = re.compile(r"[a-z0-9-]{1,64}")


class LogUnwritable(UserError):
    """An event could not be recorded. What it speaks of did happen: the caller still shows it."""


class LogUnreadable(UserError):
    """The log is there and cannot be read at all, so nothing can be said about progress."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A line of a log file that is left out; the file keeps it. `torn` is one that a broken-off write left behind."""

    path: Path
    line: int
    reason: str
    torn: bool
    digest: str

    def __str__(self) -> str:
        if self.torn:
            return (
                f"The last write to {self.path} was broken off (line {self.line}). That one record is set aside; "
                "all others are read, and new ones follow it."
            )
        return f"{self.path}, line {self.line} is damaged and left out ({self.reason}). All other records are read."


@dataclass(frozen=True, slots=True)
class History:
    """All events of all devices, each once, in the order they happened, and what could not be read."""

    events: tuple[Event, ...]
    damage: tuple[Damage, ...] = ()


def log_home(environ: Mapping[str, str] = os.environ) -> Path:
    """Where a learner's records lie: ANATOMY_HOME, else the platform's folder for user data."""
    if home := environ.get(HOME_VARIABLE, "").strip():
        return Path(home).expanduser()
    from platformdirs import user_data_path  # not needed when the folder is named

    return user_data_path("decoder-anatomy", appauthor=False)


class Log:
    """The log under one home folder, which need not exist: it is made by the first event."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / "log"

    def append(
        self,
        type: str,  # noqa: A002  the field's name in the log
        payload: Mapping[str, Any],
        now: datetime,
        rollover_hour: int = DEFAULT_ROLLOVER_HOUR,
    ) -> Event:
        """Record an event and return it once it is on the disk. Raises LogUnwritable."""
        try:
            device = self.device()
            path = self.folder / f"{device}.jsonl"
            event = new_event(type, payload, now, device, rollover_hour)
            if tail := _unfinished(path):
                # A broken-off write becomes a line of its own; by its digest it is known, and reported no more.
                aside = new_event(QUARANTINE, {"sha256": _digest(tail)}, now, device, rollover_hour)
                _write(path, "\n" if _is_event(tail) else "\n" + to_line(aside))
            _write(path, to_line(event))
        except OSError as error:
            place = error.filename or self.folder
            raise LogUnwritable(
                f"This could not be recorded: {place} cannot be written ({error.strerror or error}). "
                f"Make the folder writable, or name another one in {HOME_VARIABLE}."
            ) from None
        return event

    def read(self) -> History:
        """Every event of every file. Damaged lines are reported and left where they are. Raises LogUnreadable."""
        try:
            paths = sorted(path for path in self.folder.glob("*.jsonl") if path.is_file())
            texts = [(path, path.read_bytes()) for path in paths]
        except OSError as error:
            place = error.filename or self.folder
            raise LogUnreadable(
                f"Your records in {place} cannot be read ({error.strerror or error}). "
                f"Make them readable, or name another folder in {HOME_VARIABLE}."
            ) from None
        events: dict[str, Event] = {}
        damage: list[Damage] = []
        for path, raw in texts:
            _read_file(path, raw, events, damage)
        ordered = tuple(sorted(events.values(), key=lambda event: event.order))
        known = {event.payload.get("sha256") for event in ordered if event.type == QUARANTINE}
        return History(ordered, tuple(fault for fault in damage if fault.digest not in known))

    def device(self) -> str:
        """The id of this machine in this home, made once. Raises OSError if it cannot be kept."""
        path = self.home / "device"
        self.folder.mkdir(parents=True, exist_ok=True)
        if (known := _read_device(path)) is not None:
            return known
        # Written beside and then linked: of two processes that start at once, both use the id that came first.
        fresh = self.home / f"device-{secrets.token_hex(8)}"
        fresh.write_text(secrets.token_hex(8) + "\n", encoding="ascii")
        try:
            _link_or_rename(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)
        known = _read_device(path)
        if known is None:
            raise OSError(None, "it should hold the id of this machine; move the file away", str(path))
        return known


def _read_device(path: Path) -> str | None:
    try:
        text = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        text = ""
    if not _DEVICE.fullmatch(text):
        raise OSError(None, "it should hold the id of this machine; move the file away", str(path))
    return text


def _link_or_rename(source: Path, target: Path) -> None:
    try:
        target.hardlink_to(source)
    except FileExistsError:
        return
    except OSError:
        # Some file systems have no hard links. The race that is then left open costs a second log file, no event.
        source.rename(target)


def _write(path: Path, text: str) -> None:
    """Append with one write, and return when it is on the disk."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        data = text.encode("ascii")
        if os.write(descriptor, data) != len(data):
            raise OSError(None, "the disk is full", str(path))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unfinished(path: Path) -> bytes:
    """The last line if it lacks its line feed; empty if the file is whole, empty or missing."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            if not size:
                return b""
            file.seek(size - 1)
            if file.read(1) == b"\n":
                return b""
            file.seek(0)
            return file.read().rpartition(b"\n")[2]
    except FileNotFoundError:
        return b""


def _is_event(line: bytes) -> bool:
    try:
        from_line(line.decode("utf-8"))
    except ValueError:
        return False
    return True


def _digest(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def _read_file(path: Path, raw: bytes, events: dict[str, Event], damage: list[Damage]) -> None:
    lines = raw.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            event = from_line(line.decode("utf-8"))
        except ValueError as error:
            reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            damage.append(Damage(path, number, reason, number == len(lines), _digest(line)))
            continue
        # The same id with other contents is no event of ours; whichever file is read first, the same one is taken.
        known = events.get(event.id)
        if known is None or to_line(event) < to_line(known):
            events[event.id] = event
