"""How records reach the disk: lines are only ever added to a file, and a whole file appears at once or not at all."""

import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_MODE = 0o600
_GLANCE = 4096
"""Bytes at the end of a file that hold its last lines, mostly."""
_BINARY = getattr(os, "O_BINARY", 0)


class Tail:
    """The end of a file of lines that is open for adding to it."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    def ending(self) -> tuple[bytes, bytes]:
        """The last whole line, without its line feed, and what stands unfinished behind it; either may be empty."""
        size = os.lseek(self._descriptor, 0, os.SEEK_END)
        length = _GLANCE
        while True:
            os.lseek(self._descriptor, max(size - length, 0), os.SEEK_SET)
            whole, _, rest = os.read(self._descriptor, length).rpartition(b"\n")
            _, found, last = whole.rpartition(b"\n")
            if found or length >= size:
                return last, rest
            length *= 8

    def add(self, text: str) -> None:
        """Add ASCII text with one write, and return when it is on the disk."""
        is_new = not os.fstat(self._descriptor).st_size
        data = text.encode("ascii")
        if os.write(self._descriptor, data) != len(data):
            raise OSError(None, "the disk is full", str(self._path))
        os.fsync(self._descriptor)
        if is_new:
            _sync_folder(self._path.parent)


@contextmanager
def open_tail(path: Path) -> Iterator[Tail]:
    """Open a file for adding to it; it is made if need be. Raises OSError.

    The system puts each write behind all others. The lock is for `ending`: without it, what another process is just
    writing would look broken off.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _BINARY, _MODE)
    try:
        if sys.platform != "win32":
            # Some network file systems have no locks. A needless note of damage is the worst that comes of it.
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield Tail(path, descriptor)
    finally:
        os.close(descriptor)


def publish(path: Path, data: bytes) -> None:
    """Make a file that is whole from its first moment on. If there is one of that name, it stays. Raises OSError."""
    import secrets  # slow to import, and reading needs none

    fresh = path.with_name(f"{path.name}-{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, _MODE), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _link_or_rename(fresh, path)
        _sync_folder(path.parent)
    finally:
        fresh.unlink(missing_ok=True)


def _link_or_rename(source: Path, target: Path) -> None:
    try:
        target.hardlink_to(source)
    except FileExistsError:
        return
    except OSError:
        # Some file systems have no hard links. Of two processes that publish at once, the later one then wins.
        source.rename(target)


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":
        return
    # What a file holds is on the disk by now; this is for its name. Some file systems cannot do it, and need not.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
