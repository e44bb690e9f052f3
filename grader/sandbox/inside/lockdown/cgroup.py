"""Control groups (v2), where a part of their tree has been handed to this account: an outer wall for memory.

The grader makes a group for a zygote; the zygote makes one in it for each worker, so that each has its own limits.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

NEEDED = frozenset({"memory", "pids"})
_ZYGOTE = "zygote"
_PROCESSES = 64
_MARGIN = 256 << 20
"""Beyond the budget: pages of the zygote that a worker writes to are charged to it."""


def delegated(proc: Path = Path("/proc/self")) -> Path | None:
    """The nearest folder at or above this process's own group in which this account may make groups with limits."""
    mount = _mount_point(proc / "mountinfo")
    if mount is None:
        return None
    lines = (proc / "cgroup").read_text("utf-8").splitlines()
    own = next((line[3:] for line in lines if line.startswith("0::")), None)
    if own is None:
        return None
    folder = mount / own.strip("/")
    while folder.is_relative_to(mount):
        if _may_make_groups(folder):
            return folder
        folder = folder.parent
    return None


def enter_as_zygote(group: Path, owner: int | None) -> int:
    """Move this process into a group beneath `group`, and hand on the controllers to those of the workers.

    owner: the account that the zygote is about to become. Returns a descriptor of `group`. Raises OSError.
    """
    inner = group / _ZYGOTE
    inner.mkdir(exist_ok=True)
    (inner / "cgroup.procs").write_text("0")
    (group / "cgroup.subtree_control").write_text(" ".join(f"+{each}" for each in sorted(NEEDED)))
    if owner is not None:
        for path in (group, group / "cgroup.procs", inner / "cgroup.procs"):
            os.chown(path, owner, owner)
    return os.open(group, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def enter_as_worker(group: int, name: str, memory_mb: int) -> None:
    """Make a group with limits and move into it. Raises OSError."""
    os.mkdir(name, dir_fd=group)
    _write(group, f"{name}/memory.max", str((memory_mb << 20) + _MARGIN))
    _write(group, f"{name}/pids.max", str(_PROCESSES))
    _write(group, f"{name}/cgroup.procs", "0")


def leave(group: int, name: str) -> None:
    """Remove the group of a worker that has ended."""
    with suppress(OSError):
        os.rmdir(name, dir_fd=group)


def remove(group: Path) -> None:
    """Remove a zygote's group when all of its processes have ended."""
    for folder in (group / _ZYGOTE, group):
        with suppress(OSError):
            folder.rmdir()


def _mount_point(mountinfo: Path) -> Path | None:
    for line in mountinfo.read_text("utf-8").splitlines():
        before, _, after = line.partition(" - ")
        if after.startswith("cgroup2 "):
            return Path(before.split()[4])
    return None


def _may_make_groups(folder: Path) -> bool:
    try:
        handed_on = set((folder / "cgroup.subtree_control").read_text("ascii").split())
    except OSError:
        return False
    return handed_on >= NEEDED and os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def _write(group: int, name: str, text: str) -> None:
    descriptor = os.open(name, os.O_WRONLY | os.O_CLOEXEC, dir_fd=group)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
