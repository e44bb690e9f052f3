"""Records that travel: all events in one file, and the events of such files taken into a log."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from grader.errors import UserError
from grader.records.event import Event, to_line, unite
from grader.records.files import publish
from grader.records.log import Damage, History, Log, read_lines, unreported, unwritable


@dataclass(frozen=True, slots=True)
class Imported:
    """How many events of the files were new to the log, how many it had, and which lines were left out."""

    new: int
    known: int
    damaged: tuple[Damage, ...]


def export(history: History) -> bytes:
    """The events of all devices as the lines of one file, in the order they happened."""
    return "".join(map(to_line, history.events)).encode("ascii")


def import_(log: Log, files: Iterable[Path]) -> Imported:
    """Take in the events of exported files, of log files, or of whole folders of them.

    A folder may be another learner's home, or a copy of it. What the log lacks goes into a file of its own under the
    log's folder; no other file is touched, and a second time adds nothing. Raises UserError for a file that cannot be
    read and LogUnwritable.
    """
    there: dict[str, Event] = {}
    damage: list[Damage] = []
    for path in (found for file in files for found in _log_files(file)):
        read_lines(path, _contents(path), there, damage)
    here = {event.id: event for event in log.read().events}
    both = dict(here)
    unite(both, there.values())
    # By identity: an event of the same id and other contents is taken in if it is the one that counts.
    fresh = sorted((event for id_, event in both.items() if event is not here.get(id_)), key=lambda event: event.order)
    if fresh:
        data = "".join(map(to_line, fresh)).encode("ascii")
        # Named after what it holds, so that two imports at once of the same files make one file.
        path = log.folder / f"import-{hashlib.sha256(data).hexdigest()[:16]}.jsonl"
        try:
            log.folder.mkdir(parents=True, exist_ok=True)
            publish(path, data)
        except OSError as error:
            raise unwritable(error, log.folder) from None
    # A broken-off line of a log that goes on elsewhere is damage like any other here: no write of ours was broken off.
    damaged = tuple(replace(fault, torn=False) for fault in unreported(damage, both.values()))
    return Imported(len(fresh), len(there) - len(fresh), damaged)


def _log_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    folder = path / "log" if (path / "log").is_dir() else path
    found = sorted(folder.glob("*.jsonl"))
    if not found:
        raise UserError(f"There is nothing to import in {path}: no file there ends in .jsonl. Name the file itself.")
    return found


def _contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error}). Nothing was imported.") from None
