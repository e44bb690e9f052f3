"""A file system that holds what a worker may read and nothing else, all of it read-only."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from . import system
from .exposure import Tree

CELL = "/cell"
SCRATCH = f"{CELL}/scratch"
"""Where each worker has a file system of its own, the one that it may write to."""
_LOCKED = (
    (2, system.MS_NOSUID),
    (4, system.MS_NODEV),
    (8, system.MS_NOEXEC),
    (1024, system.MS_NOATIME),
    (2048, system.MS_NODIRATIME),
    (4096, system.MS_RELATIME),
)
"""Options of a mount, as statvfs gives them and as mount takes them, that a user namespace may not take away when it
mounts the same thing again."""
_FRAME = "size=1m,nr_inodes=8192,mode=755"
_READ_ONLY = system.MS_REMOUNT | system.MS_BIND | system.MS_RDONLY | system.MS_NOSUID


def enter_root(at: str, trees: Sequence[Tree], devices: Sequence[str]) -> None:
    """Build it on an existing folder and make it the root of this process. Raises OSError.

    In a mount namespace of one's own; trees: outer folders before inner ones.
    """
    system.mount(None, "/", flags=system.MS_REC | system.MS_PRIVATE)
    system.mount("tmpfs", at, "tmpfs", system.MS_NOSUID | system.MS_NODEV, _FRAME)
    covers: list[str] = []
    for tree in trees:
        target = at + tree.path
        _make_place(tree.path, target)
        _bind(tree.path, target, system.MS_NODEV)
        for hidden in tree.hidden:
            system.mount("tmpfs", at + hidden, "tmpfs", system.MS_NOSUID | system.MS_NODEV, _FRAME)
            covers.append(at + hidden)
    for device in devices:
        _make_place(device, at + device)
        _bind(device, at + device, 0)
    for cover in covers:
        system.mount(None, cover, flags=_READ_ONLY | system.MS_NODEV)
    Path(at + SCRATCH).mkdir(parents=True)
    os.chdir(at)
    _pivot()
    os.chdir("/")
    system.mount(None, "/", flags=_READ_ONLY | system.MS_NODEV)


def mount_scratch(size_mb: int, files: int) -> None:
    """A file system in memory, empty and bounded, seen by this mount namespace alone. Raises OSError."""
    flags = system.MS_NOSUID | system.MS_NODEV | system.MS_NOEXEC
    system.mount("tmpfs", SCRATCH, "tmpfs", flags, f"size={size_mb}m,nr_inodes={files},mode=700")


def _make_place(source: str, target: str) -> None:
    """A folder or an empty file to mount on; inside a folder that is bound already it is there."""
    place = Path(target)
    if place.exists():
        return
    if Path(source).is_dir():
        place.mkdir(parents=True)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()


def _bind(source: str, target: str, flags: int) -> None:
    system.mount(source, target, flags=system.MS_BIND | system.MS_REC)
    there = os.statvfs(target).f_flag
    kept = sum(mount for stat, mount in _LOCKED if there & stat)
    system.mount(None, target, flags=_READ_ONLY | flags | kept)


def _pivot() -> None:
    """Swap the root for the current folder; the old one, which comes to lie on top, goes."""
    system.pivot_root(".", ".")
    system.unmount(".", system.MNT_DETACH)
