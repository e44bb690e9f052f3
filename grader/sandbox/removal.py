"""Removing a folder that submitted code has filled, however deep it is."""

from __future__ import annotations

import secrets
from collections import deque
from contextlib import suppress
from pathlib import Path


def remove(folder: Path) -> None:
    """Remove a folder and all that is in it; what this account may not remove stays.

    A folder inside is first brought up into `folder` itself. So no path grows and no descriptor stays open, whatever
    the depth: `shutil.rmtree` holds one descriptor for each level, and the grader would run out of them.
    """
    token = secrets.token_hex(8)  # a name that nothing in there has
    waiting = deque([folder])
    lifted = 0
    while waiting:
        emptied = waiting.popleft()
        with suppress(OSError):
            emptied.chmod(0o700)  # it may have been shut
            for entry in list(emptied.iterdir()):
                if entry.is_symlink() or not entry.is_dir():
                    with suppress(OSError):
                        entry.unlink()
                    continue
                lifted += 1
                with suppress(OSError):
                    entry.chmod(0o700)  # to be moved, a folder must let its `..` be written
                    waiting.append(entry.rename(folder / f"{token}-{lifted}"))
        with suppress(OSError):
            emptied.rmdir()
    with suppress(OSError):
        folder.rmdir()
