"""For root: an account that nobody uses. What root's own account may do is left outside."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from pathlib import Path

from .privileges import set_dumpable

_HIGHEST = 64_000
_LOWEST = 61_184
"""The ids that systemd hands to services without an account, and some above: no system gives them to people."""


def unused_id() -> int | None:
    """A number that no account has and that this process may change to, None if there is none.

    Inside a container root may be mapped alone; then there is nothing to change to.
    """
    mapped = list(_mapped())
    for candidate in range(_HIGHEST, _LOWEST, -1):
        if any(first <= candidate < first + count for first, count in mapped):
            try:
                pwd.getpwuid(candidate)
            except KeyError:
                return candidate
    return None


def become(number: int) -> None:
    """Change user and group for good. Raises OSError. Clears the signal that comes with the parent's death."""
    os.setgroups([])
    os.setresgid(number, number, number)
    os.setresuid(number, number, number)
    set_dumpable(True)  # the change has taken away the right to write one's own files in /proc


def _mapped() -> Iterator[tuple[int, int]]:
    """First id and number of ids, of each range that there is in this user namespace."""
    for line in Path("/proc/self/uid_map").read_text("ascii").splitlines():
        first, _, count = map(int, line.split())
        yield first, count
