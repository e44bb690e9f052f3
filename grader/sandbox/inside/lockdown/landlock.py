"""Landlock: the files that a worker may open, whatever its account may; no TCP, no signals to the outside."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import system

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""The same on every machine."""
_ASK_VERSION = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE, _READ, _LIST, _REMOVE_DIR, _REMOVE_FILE = (1 << bit for bit in range(6))
_MAKE_CHAR, _MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM = (1 << bit for bit in range(6, 13))
_REFER, _TRUNCATE, _IOCTL = (1 << bit for bit in range(13, 16))
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_OF_SCRATCH = _READ | _LIST | _WRITE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER | _TRUNCATE
_TCP = 0b11
_SCOPES = 0b11
_SCOPE_ABSTRACT_SOCKETS = 0b01


def version() -> int:
    """The version of Landlock that this kernel speaks, 0 if none."""
    try:
        return system.syscall("landlock_create_ruleset", _CREATE, 0, 0, _ASK_VERSION)
    except OSError as error:
        if error.errno in (errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM):  # no such call; switched off; filtered
            return 0
        raise


@dataclass(frozen=True)
class Rules:
    """What stays open. listed: folders whose names may be read, nothing beneath them; devices: may be written."""

    version: int
    readable: tuple[str, ...]
    listed: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()

    def ruleset(self, scratch: Sequence[str]) -> int:
        """A descriptor of these rules as the kernel keeps them. scratch: folders to write in. Raises OSError."""
        handled = _handled(self.version)
        descriptor = _create(self.version, handled)
        for path in self.readable:
            _add(descriptor, path, (_READ | _LIST) & handled)
        for path in self.listed:
            _add(descriptor, path, _LIST & handled)
        for path in self.devices:
            _add(descriptor, path, (_READ | _WRITE | _TRUNCATE) & handled)
        for path in scratch:
            _add(descriptor, path, _OF_SCRATCH & handled)
        return descriptor


def restrict(descriptor: int) -> None:
    """Apply a ruleset to this process, for good. Raises OSError."""
    system.syscall("landlock_restrict_self", _RESTRICT, descriptor, 0)


def _handled(version: int) -> int:
    """Everything about files that this version can refuse."""
    bits = 13 + (version >= 2) + (version >= 3) + (version >= 5)
    return (1 << bits) - 1


def _create(version: int, handled: int) -> int:
    if version >= 6:
        try:
            return _create_with(handled, _TCP, _SCOPES)
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
        try:  # back-ports of version 6 exist that know one of the two scopes only
            return _create_with(handled, _TCP, _SCOPE_ABSTRACT_SOCKETS)
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
    if version >= 4:
        return _create_with(handled, _TCP)
    return _create_with(handled)


def _create_with(*fields: int) -> int:
    """A ruleset from its attributes; kernels refuse more of them than they know."""
    attributes = ctypes.create_string_buffer(struct.pack(f"<{len(fields)}Q", *fields))
    size = 8 * len(fields)
    return system.syscall("landlock_create_ruleset", _CREATE, ctypes.addressof(attributes), size, 0)


def _add(ruleset: int, path: str, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not Path(path).is_dir():
            rights &= _OF_FILES
        attributes = ctypes.create_string_buffer(struct.pack("<Qi", rights, descriptor))
        system.syscall("landlock_add_rule", _ADD, ruleset, _PATH_BENEATH, ctypes.addressof(attributes), 0)
    finally:
        os.close(descriptor)
