"""The append-only log of a learner: one file per device, one JSON object a line, nothing ever rewritten.

Several machines are merged by putting their files into one folder: the history is the union of the events by id.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any

from grader.errors import UserError
from grader.places import expanded
from grader.records.clock import DEFAULT_ROLLOVER_HOUR
from grader.records.event import Event, from_line, from_lines, new_event, to_line, unite
from grader.records.files import open_tail, publish
from grader.records.kinds import QUARANTINE
from grader.records.memory import collector_put_off

HOME_VARIABLE = "ANATOMY_HOME"

_BYTES_AT_A_TIME = 32768
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
        return expanded(home, HOME_VARIABLE)
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
        not_before: date | None = None,
    ) -> Event:
        """Record an event and return it once it is on the disk. Raises LogUnwritable.

        `not_before` is the study day that the log has reached: see `clock.study_day`. On one study day the moments of a
        device never step back, even if its clock does.
        """
        try:
            device = self.device()
            event = new_event(type, payload, now, device, rollover_hour, not_before)
            with open_tail(self.folder / f"{device}.jsonl") as tail:
                last, rest = tail.ending()
                if rest:
                    # A broken-off write becomes a line of its own; by its digest it is known, and reported no more.
                    aside = new_event(QUARANTINE, {"sha256": _digest(rest)}, now, device, rollover_hour)
                    tail.add("\n" if _event_of(rest) else "\n" + to_line(aside))
                event = _behind(event, _event_of(rest) or _event_of(last))
                tail.add(to_line(event))
        except OSError as error:
            raise unwritable(error, self.folder) from None
        return event

    def files(self) -> list[Path]:
        """The files of all devices; none before the first event. Raises LogUnreadable."""
        try:
            # Not Path.glob, for which a folder that may not be read is an empty one: lost access is not lost progress.
            with os.scandir(self.folder) as entries:
                names = sorted(entry.name for entry in entries if entry.name.endswith(".jsonl") and entry.is_file())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unreadable(error, self.folder) from None
        return [self.folder / name for name in names]

    @collector_put_off()
    def read(self) -> History:
        """Every event of every file. Damaged lines are reported and left where they are. Raises LogUnreadable."""
        try:
            texts = [(path, path.read_bytes()) for path in self.files()]
        except OSError as error:
            raise _unreadable(error, self.folder) from None
        events: dict[str, Event] = {}
        damage: list[Damage] = []
        for path, raw in texts:
            read_lines(path, raw, events, damage)
        ordered = tuple(sorted(events.values(), key=attrgetter("at", "id")))
        return History(ordered, unreported(damage, ordered))

    def device(self) -> str:
        """The id of this machine in this home, made once. Raises OSError if it cannot be kept."""
        path = self.home / "device"
        self.folder.mkdir(parents=True, exist_ok=True)
        if (known := _read_device(path)) is not None:
            return known
        import secrets  # once a machine

        # Of two processes that start at once, both use the id that came first.
        publish(path, f"{secrets.token_hex(8)}\n".encode("ascii"))
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


def _behind(event: Event, last: Event | None) -> Event:
    """The event, not earlier than the last one of the same study day.

    A clock that is set back within a day must not let what comes second come first: a review would lose its rung.
    """
    if last is None or last.study_day != event.study_day or last.at <= event.at:
        return event
    return replace(event, at=last.at + timedelta(microseconds=1))


def _event_of(line: bytes) -> Event | None:
    try:
        return from_line(line.decode("utf-8"))
    except ValueError:
        return None


def _digest(line: bytes) -> str:
    import hashlib  # only a damaged line needs it

    return hashlib.sha256(line).hexdigest()


def _unreadable(error: OSError, folder: Path) -> LogUnreadable:
    place = error.filename or folder
    return LogUnreadable(
        f"Your records in {place} cannot be read ({error.strerror or error}). "
        f"Make them readable, or name another folder in {HOME_VARIABLE}."
    )


def unwritable(error: OSError, folder: Path) -> LogUnwritable:
    """The sentence for an error met in writing to a log's folder."""
    place = error.filename or folder
    return LogUnwritable(
        f"This could not be recorded: {place} cannot be written ({error.strerror or error}). "
        f"Make the folder writable, or name another one in {HOME_VARIABLE}."
    )


def unreported(damage: Iterable[Damage], events: Iterable[Event]) -> tuple[Damage, ...]:
    """The damage that is still to be told: not the lines that the log has set aside by itself."""
    aside = {str(event.payload.get("sha256")) for event in events if event.type == QUARANTINE}
    return tuple(fault for fault in damage if fault.digest not in aside)


def read_lines(path: Path, raw: bytes, events: dict[str, Event], damage: list[Damage]) -> None:
    """Add the events of a log file to those known by their ids, and what is no event to the damage."""
    start = 0
    while start < len(raw):
        end = raw.find(b"\n", start + _BYTES_AT_A_TIME) + 1 or len(raw)
        try:
            unite(events, from_lines(raw[start:end]))
        except ValueError:  # a line is damaged, or blank, and each is looked at by itself
            first = raw.count(b"\n", 0, start) + 1
            lines = raw[start:end].split(b"\n")
            for number, line in enumerate(lines, start=first):
                if not line.strip():
                    continue
                try:
                    unite(events, [from_line(line.decode("utf-8"))])
                except ValueError as error:
                    reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
                    is_last = number == first + len(lines) - 1  # of lines that all end, what comes last is empty
                    damage.append(Damage(path, number, reason, is_last, _digest(line)))
        start = end
