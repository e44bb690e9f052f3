"""What takes long to work out and comes from files, kept in a file of its own until one of them changes.

Such a file is disposable: one that is damaged, cannot be read or was made from other files is ignored, and one that
cannot be written is missed by nobody but the clock. It holds JSON and is never executed.
"""

import contextlib
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from grader.errors import UserError

Stamps = Mapping[str, list[int]]
"""Size, time of change and time of status change (nanoseconds) of each file that is there, by path."""

_SETTLED_NS = 2_000_000_000
"""Within one tick of a file system's clock (2 s on FAT) a file may change twice and look the same, so nothing is
trusted that was kept so soon after a change."""


def stamps_of(paths: Iterable[str | Path]) -> Stamps:
    """What files look like from outside. Take it before reading them, lest a change in between go unseen."""
    stamps = {}
    for path in paths:
        with contextlib.suppress(OSError):  # that a file is missing shows in its having no stamp
            status = os.stat(path)  # noqa: PTH116  there are many, and a Path takes five times as long
            stamps[str(path)] = [status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    return stamps


def files_in(folder: str | Path, ending: str) -> list[str]:
    """The files of a folder with that ending, in order; none if it cannot be listed, which is its reader's to say."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.path for entry in entries if entry.name.endswith(ending))
    except OSError:
        return []


def recall(path: Path, stamps: Stamps) -> Any | None:
    """What was kept in `path` from files that looked just like these; None if there is nothing."""
    try:
        kept_at = path.stat().st_mtime_ns
        checksum, _, body = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if checksum != _checksum(body):
        return None
    record = json.loads(body)
    newest = max((moment for _, *moments in stamps.values() for moment in moments), default=0)
    if not isinstance(record, dict) or record.get("stamps") != stamps or kept_at - newest < _SETTLED_NS:
        return None
    return record.get("kept")


def keep(path: Path, stamps: Stamps, content: Any) -> None:
    """Keep `content`, which JSON can hold, as made from files with these stamps. Where that fails, go on without."""
    from grader.atomic import write_bytes  # what is kept is read far more often than written

    body = json.dumps({"stamps": stamps, "kept": content}, separators=(",", ":")).encode("ascii")
    with contextlib.suppress(UserError):  # it can be worked out again each time
        write_bytes(path, _checksum(body) + b"\n" + body)


def place_for(cache: Path, kind: str, *sources: Path) -> Path:
    """The file that keeps what was made from `sources`: two clones on one machine, or two homes, do not share one."""
    return cache / f"{kind}-{zlib.crc32(os.fsencode(os.pathsep.join(map(str, sources)))):08x}.json"


def _checksum(body: bytes) -> bytes:
    return f"{zlib.crc32(body):08x}".encode("ascii")
