"""What lies in a submission, whatever holds it: a folder, a part of an archive, or a few files of a flat export."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from grader.batch.naming import shown

Parts = tuple[str, ...]
"""A path below the root of a tree, folder by folder; `()` is the root."""

MAX_ENTRIES = 2_000
"""Entries of one folder of a submission that are looked at."""

MAX_STUDENTS = 200_000
"""Entries of the folder that holds all submissions."""


class Kind(Enum):
    """What a name in a folder stands for; OTHER is a pipe, a socket or a device."""

    FOLDER = "a folder"
    FILE = "a file"
    LINK = "a link"
    OTHER = "no ordinary file"


class Unreadable(Exception):
    """Why one submission cannot be read, as a sentence. It concerns nobody else."""


class OutOfReach(Unreadable):
    """This machine could not read what lies there: no student's doing, and it may be read another time."""


class Tree(Protocol):
    """Names and bytes. Nothing is followed, nothing is written, and nothing is kept of what was read.

    ranked: whether the names of its root come in the order in which they count, the newest first.
    """

    @property
    def ranked(self) -> bool: ...

    def names(self, at: Parts, /) -> Mapping[str, Kind]:
        """What lies in a folder. Raises Unreadable."""
        ...

    def read(self, at: Parts, most: int, /) -> bytes:
        """The first bytes of a file, at most so many. Raises Unreadable."""
        ...

    def check(self, at: Parts, /) -> None:
        """Raises Unreadable for a part of an archive in which there is something that no submission needs."""
        ...


def rubbish(name: str) -> bool:
    """Whether a file manager left this behind, and no student."""
    return name in ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini") or name.startswith("._")


def listing(tree: Tree, at: Parts = ()) -> dict[str, Kind]:
    """The names in a folder without rubbish, sorted unless the tree ranks them. Raises Unreadable."""
    names = {name: kind for name, kind in tree.names(at).items() if not rubbish(name)}
    return names if tree.ranked and not at else dict(sorted(names.items()))


class FolderTree:
    """A folder on disk. Links are not followed, pipes and devices not opened."""

    ranked = False

    def __init__(self, folder: Path, most: int = MAX_ENTRIES) -> None:
        self.folder = folder
        self._most = most  # at the root; below it MAX_ENTRIES

    def names(self, at: Parts) -> Mapping[str, Kind]:
        most = MAX_ENTRIES if at else self._most
        found: dict[str, Kind] = {}
        try:
            with os.scandir(self.folder.joinpath(*at)) as entries:
                for entry in entries:
                    if len(found) == most:
                        raise Unreadable(f"{_where(at, 'The folder')} holds more than {most:,} files and folders.")
                    found[entry.name] = _kind(entry)
        except OSError as error:
            raise OutOfReach(f"{_where(at, 'The folder')} cannot be opened: {error.strerror or error}.") from error
        return found

    def read(self, at: Parts, most: int) -> bytes:
        # O_NOFOLLOW and O_NONBLOCK: what is a link or a pipe by now must not be followed or hang us.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        path = self.folder.joinpath(*at)
        try:
            if not stat.S_ISREG(path.lstat().st_mode):
                raise Unreadable(f"{_where(at)} is no ordinary file.")
            with os.fdopen(os.open(path, flags), "rb") as file:
                # Asked for more than there is, Python makes room for all of it.
                return file.read(min(most, os.fstat(file.fileno()).st_size + 1))
        except OSError as error:
            raise OutOfReach(f"{_where(at)} cannot be read: {error.strerror or error}.") from error

    def check(self, at: Parts) -> None:
        """Nothing to check: of a folder only what is needed is looked at."""


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return Kind.LINK
    if entry.is_dir(follow_symlinks=False):
        return Kind.FOLDER
    return Kind.FILE if entry.is_file(follow_symlinks=False) else Kind.OTHER


def _where(at: Parts, root: str = "") -> str:
    return shown("/".join(at)) if at else root


@dataclass(frozen=True, slots=True)
class Branch:
    """A folder of a tree as a tree of its own."""

    tree: Tree
    root: Parts
    ranked: bool = False

    def names(self, at: Parts) -> Mapping[str, Kind]:
        return self.tree.names(self.root + at)

    def read(self, at: Parts, most: int) -> bytes:
        return self.tree.read(self.root + at, most)

    def check(self, at: Parts) -> None:
        self.tree.check(self.root + at)


@dataclass(frozen=True, slots=True)
class Picked:
    """A few files or folders of a tree, under the names that the student gave them: (name, where, kind)."""

    tree: Tree
    items: tuple[tuple[str, Parts, Kind], ...]
    ranked: bool = False

    def names(self, at: Parts) -> Mapping[str, Kind]:
        return self.tree.names(self._there(at)) if at else {name: kind for name, _, kind in self.items}

    def read(self, at: Parts, most: int) -> bytes:
        return self.tree.read(self._there(at), most)

    def check(self, at: Parts) -> None:
        for name, where, _ in self.items:
            if not at or at[0] == name:
                self.tree.check(where + at[1:])

    def _there(self, at: Parts) -> Parts:
        for name, where, _ in self.items:
            if name == at[0]:
                return where + at[1:]
        raise Unreadable(f"{_where(at)} is not there.")


@dataclass(frozen=True, slots=True)
class Missing:
    """A submission that the export speaks of and does not hold, or that is not opened; `why` is the sentence."""

    why: str
    ranked: bool = False

    def names(self, _at: Parts) -> Mapping[str, Kind]:
        raise Unreadable(self.why)

    def read(self, _at: Parts, _most: int) -> bytes:
        raise Unreadable(self.why)

    def check(self, _at: Parts) -> None:
        raise Unreadable(self.why)
