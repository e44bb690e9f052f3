"""Frames: what travels on the channel between grader and worker, without a word on what they hold.

A frame is a header of 24 bytes (magic, kind, call id, length of the body; little endian) and a body.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

MAGIC = b"\xabSbx"
_HEADER = struct.Struct("<4sIQQ")
HEADER_SIZE = _HEADER.size
_PIECE = 1 << 20
"""Bytes asked of the kernel in one read."""


class WireError(Exception):
    """The other side sent something that no honest side sends."""


class Kind(IntEnum):
    """What a frame is for."""

    CONFIGURE = 1
    HELLO = 2
    LOAD = 3
    OPEN = 4
    CALL = 5
    DONE = 6
    RETURNED = 7
    RAISED = 8
    NOT_A_VALUE = 9
    INVOKE = 10
    PULL_BACK = 11
    RESULT = 12
    FAILED = 13


NESTED = frozenset({Kind.INVOKE, Kind.PULL_BACK})
"""Requests that either side may make while it serves one."""


@dataclass(frozen=True)
class Frame:
    """One frame as it arrived."""

    kind: Kind
    call_id: int
    body: bytearray


def pack(kind: Kind, call_id: int, body: bytes) -> bytes:
    """The bytes of a frame."""
    return _HEADER.pack(MAGIC, kind, call_id, len(body)) + body


class FrameReader:
    """Puts one frame together from however many reads it takes; never reads beyond its end.

    most: largest body accepted; it is checked before memory is set aside.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._header = bytearray(HEADER_SIZE)
        self._body: bytearray | None = None
        self._kind = Kind.DONE
        self._call_id = 0
        self._filled = 0

    def read(self, descriptor: int) -> Frame | None:
        """Take what is there. Returns the frame once it is whole.

        Raises EOFError when the other side has closed, BlockingIOError when nothing is there (on a descriptor that does
        not block), WireError on a bad header.
        """
        target = self._header if self._body is None else self._body
        with memoryview(target) as view:
            count = os.readv(descriptor, [view[self._filled : self._filled + _PIECE]])
        if count == 0:
            raise EOFError
        self._filled += count
        if self._filled < len(target):
            return None
        if self._body is None:
            self._body = self._open_header()
            if self._body:
                return None
        return Frame(self._kind, self._call_id, self._body)

    def _open_header(self) -> bytearray:
        """Check the header and set memory aside for the body."""
        magic, kind, self._call_id, length = _HEADER.unpack(self._header)
        if magic != MAGIC:
            raise WireError("what arrived is not a frame")
        if length > self._most:
            raise WireError(f"a frame of {length} bytes is over the limit of {self._most}")
        try:
            self._kind = Kind(kind)
        except ValueError:
            raise WireError(f"there is no frame of kind {kind}") from None
        self._filled = 0
        return bytearray(length)


def parts(value: Any, *kinds: type) -> tuple[Any, ...]:
    """The items of a decoded body, if they are of just these types (object: of any). Raises WireError."""
    if type(value) is not tuple or len(value) != len(kinds):
        raise WireError("a body does not hold what was due")
    if not all(kind is object or type(item) is kind for item, kind in zip(value, kinds, strict=True)):
        raise WireError("a body does not hold what was due")
    return value
