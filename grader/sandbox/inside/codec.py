"""The values that may cross between grader and worker, and their bytes.

None, bool, int (64 bits), float, str, bytes, dtypes, dense CPU tensors, lists, tuples, dicts with string keys,
functions (as handles) and opaque tokens. Subclasses of the built-in types and of Tensor travel as their base. The
decoder believes nothing: every count and length is checked against what is there before anything is made, and bad
bytes raise WireError only.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Protocol

import torch

from .frames import WireError

DTYPES = (
    torch.float64,
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
    torch.bool,
    torch.complex64,
    torch.complex128,
    torch.uint16,
    torch.uint32,
    torch.uint64,
    torch.float8_e4m3fn,
    torch.float8_e5m2,
    torch.float8_e4m3fnuz,
    torch.float8_e5m2fnuz,
)
"""A dtype's place here is its code on the wire."""
CODES = {dtype: code for code, dtype in enumerate(DTYPES)}
TRACKED, PERMUTED = 1, 2
"""Flags of a tensor: the sender's graph reaches it; its storage holds the axes in another order."""
U32 = struct.Struct("<I")
I64 = struct.Struct("<q")
F64 = struct.Struct("<d")
REFERENCE = struct.Struct("<BQ")


class CannotCross(Exception):
    """A value has no place on the wire. The message describes it with its article: "a numpy.ndarray"."""


@dataclass(frozen=True)
class Caps:
    """Bounds of one body, the same on both sides."""

    depth: int = 40
    nodes: int = 100_000
    tensors: int = 20_000
    dims: int = 24
    elements: int = 1 << 40
    size: int = 64 << 20


class References(Protocol):
    """Where functions and opaque tokens get their numbers, and numbers their meaning."""

    def refer(self, value: object) -> tuple[int, int] | None:
        """Owner and number of a function or token; None when the value is neither."""

    def resolve(self, owner: int, number: int, label: str) -> object:
        """The value of a reference that arrived. Raises WireError for one that was never given out."""


class PlainValues:
    """The references of a body that must hold none."""

    def refer(self, value: object) -> None:
        """Nothing has a number."""

    def resolve(self, owner: int, number: int, label: str) -> object:  # noqa: ARG002
        """Raises WireError."""
        raise WireError("a reference where plain values were due")
