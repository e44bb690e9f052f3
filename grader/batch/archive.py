"""Zip archives, read in memory: nothing is unpacked to disk, and nothing is believed that an archive says of itself."""

from __future__ import annotations

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from grader.batch.naming import shown
from grader.batch.tree import Kind, OutOfReach, Parts, Unreadable

MAX_MEMBERS = 2_000
MAX_UNPACKED = 64_000_000
"""Bytes of one submission, unpacked; and of its archive, packed."""

MAX_EXPORT_MEMBERS = 500_000
"""Members of the archive that holds all submissions."""

MAX_DEPTH = 40
"""Folders inside one another."""

# bzip2 and LZMA are left out: `zipfile` inflates them without a bound, a few KB to gigabytes.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED, _UTF8 = 0x1, 0x800
_ENTRY = b"PK\x01\x02"  # begins an entry of an archive's directory
_DRIVE = re.compile(r"[A-Za-z]:")

DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,  # UnicodeDecodeError too
    NotImplementedError,
    RuntimeError,
    OverflowError,
    OSError,
)
"""What `zipfile` raises for archives that are broken or forged."""


class ZipTree:
    """An archive as a tree. Its directory is kept, its contents are not."""

    ranked = False

    def __init__(self, archive: zipfile.ZipFile, name: str, most: int, *, exported: bool = False) -> None:
        """name: how sentences call it; most: members at most; exported: the platform made it, and no student, so that
        damage to it came later. Raises Unreadable."""
        self.name = name
        self._damage = OutOfReach if exported else Unreadable
        self._archive = archive
        self._folders: dict[Parts, dict[str, zipfile.ZipInfo | None]] = {(): {}}
        self._misplaced: dict[str, list[tuple[Parts, str]]] = {}  # by their first folder
        members = archive.infolist()
        if len(members) > most:
            raise Unreadable(f"{name} holds more than {most:,} members.")
        for member in members:
            self._place(member)

    def names(self, at: Parts) -> Mapping[str, Kind]:
        try:
            return {name: _kind(member) for name, member in self._folders[at].items()}
        except KeyError:
            raise Unreadable(f"There is no folder {shown('/'.join(at))} in {self.name}.") from None

    def read(self, at: Parts, most: int) -> bytes:
        member = self._folders.get(at[:-1], {}).get(at[-1])
        label = shown("/".join(at))
        if member is None:
            raise Unreadable(f"{label} is not in {self.name}.")
        if why := _refusal(member):
            raise Unreadable(f"{self.name}: {label} {why}.")
        try:
            with self._archive.open(member) as file:
                data = file.read(most)
        except DAMAGED as error:
            raise self._damage(f"{self.name} is damaged: {label} cannot be unpacked.") from error
        if len(data) != min(member.file_size, most):
            raise self._damage(f"{self.name} is damaged: {label} is not as long as it says.")
        return data

    def check(self, at: Parts) -> None:
        """Raises Unreadable for links, devices, encryption, paths that lead out, too many members, too many bytes."""
        for parts, why in self._misplaced.get(at[0], ()) if at else self._all_misplaced():
            if parts[: len(at)] == at:
                raise Unreadable(f"{self.name}: {why}.")
        total = 0
        for count, (parts, member) in enumerate(self._below(at), 1):
            total += member.file_size
            if why := _refusal(member):
                raise Unreadable(f"{self.name}: {shown('/'.join(parts))} {why}.")
            if count > MAX_MEMBERS:
                raise Unreadable(f"{self.name} holds more than {MAX_MEMBERS:,} members.")
            if total > MAX_UNPACKED:
                raise Unreadable(f"{self.name} is more than {MAX_UNPACKED // 1_000_000} MB when it is unpacked.")

    def misplaced(self) -> list[str]:
        """A sentence without its full stop on each member that lies nowhere in the tree."""
        return [why for _, why in self._all_misplaced()]

    def _all_misplaced(self) -> Iterator[tuple[Parts, str]]:
        return chain.from_iterable(self._misplaced.values())

    def _displace(self, parts: Parts, why: str) -> None:
        self._misplaced.setdefault(parts[0] if parts else "", []).append((parts[:MAX_DEPTH], why))

    def _below(self, at: Parts) -> Iterator[tuple[Parts, zipfile.ZipInfo]]:
        if at and (member := self._folders.get(at[:-1], {}).get(at[-1])):
            yield at, member
            return
        for name, member in self._folders.get(at, {}).items():
            if member is None:
                yield from self._below((*at, name))
            else:
                yield (*at, name), member

    def _place(self, member: zipfile.ZipInfo) -> None:
        name = _name(member).replace("\\", "/")
        parts = tuple(part for part in name.split("/") if part not in ("", "."))
        if why := _misplaced(name, parts):
            self._displace(parts, f"{shown(name)} {why}")
            return
        if not parts:
            return
        folder = parts if name.endswith("/") else parts[:-1]
        for depth in range(len(folder)):
            inside = self._folders.setdefault(folder[:depth], {})
            if inside.setdefault(folder[depth], None) is not None:
                self._displace(parts, f"{shown(name)} is both a file and a folder")
                return
            self._folders.setdefault(folder[: depth + 1], {})
        if folder != parts:
            inside = self._folders[folder]
            if parts[-1] in inside:
                self._displace(parts, f"{shown(name)} is there twice")
            else:
                inside[parts[-1]] = member


def opened(data: bytes, name: str) -> ZipTree:
    """The archive of one submission. name: how sentences call it. Raises Unreadable for anything that is none."""
    if len(data) > MAX_UNPACKED:
        raise Unreadable(f"{name} is larger than {MAX_UNPACKED // 1_000_000} MB.")
    # Before any of them is made an object: the number that the archive itself gives is not used by `zipfile`, and lies.
    # What a zip inside holds counts too, if it was stored as it is.
    if data.count(_ENTRY) > MAX_MEMBERS:
        raise Unreadable(f"{name} holds more than {MAX_MEMBERS:,} members.")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except UnicodeDecodeError as error:
        raise Unreadable(f"{name}: the names in it are in no known encoding.") from error
    except DAMAGED as error:
        empty = "is empty" if not data else "is no zip archive, or a damaged one"
        raise Unreadable(f"{name} {empty}.") from error
    tree = ZipTree(archive, name, MAX_MEMBERS)
    tree.check(())
    return tree


def opened_export(path: Path) -> ZipTree:
    """The archive that holds all submissions; it stays open as long as the tree lives. Raises Unreadable, OSError."""
    with path.open("rb"):  # its own errors, permission say, rather than those of a damaged archive
        pass
    try:
        archive = zipfile.ZipFile(path)
    except DAMAGED as error:
        raise Unreadable("it is no zip archive, or a damaged one") from error
    return ZipTree(archive, shown(path.name), MAX_EXPORT_MEMBERS, exported=True)


def _name(member: zipfile.ZipInfo) -> str:
    """The member's name. macOS and others write UTF-8 without saying so, which is read as code page 437."""
    name = member.orig_filename
    if not member.flag_bits & _UTF8:
        try:
            return name.encode("cp437").decode("utf-8")
        except UnicodeError:
            return name
    return name


def _misplaced(name: str, parts: Parts) -> str:
    if "\0" in name:
        return "has a NUL character in its name"
    if name.startswith("/") or _DRIVE.match(name):
        return "is an absolute path"
    if ".." in parts:
        return "leads out of the archive"
    return f"lies in more than {MAX_DEPTH} folders" if len(parts) > MAX_DEPTH else ""


def _kind(member: zipfile.ZipInfo | None) -> Kind:
    if member is None:
        return Kind.FOLDER
    mode = stat.S_IFMT(member.external_attr >> 16)
    if mode == stat.S_IFLNK:
        return Kind.LINK
    return Kind.FILE if mode in (0, stat.S_IFREG, stat.S_IFDIR) else Kind.OTHER


def _refusal(member: zipfile.ZipInfo) -> str:
    kind = _kind(member)
    if kind is not Kind.FILE:
        return f"is {kind.value}, and archives with such members are not read"
    if member.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if member.compress_type not in _METHODS:
        return "is packed by a method that is not read here; an ordinary zip is"
    return ""
