"""Bytes to values. In the grader the bytes are a learner's, so nothing about them is taken on trust."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import torch
from torch import Tensor

from .codec import DTYPES, F64, I64, PERMUTED, REFERENCE, TRACKED, U32, Caps, PlainValues, References
from .frames import WireError


class Decoder:
    """Reads one body. tracked: the tensors that the other side's graph reaches, in the order it met them."""

    def __init__(self, references: References | None = None, *, caps: Caps | None = None) -> None:
        self.tracked: list[Tensor] = []
        self._references = references or PlainValues()
        self._caps = caps or Caps()
        self._body = bytearray()
        self._at = self._nodes = self._tensors = 0

    def decode(self, body: bytearray) -> Any:
        """The value of a body. Raises WireError. The tensors are base-class tensors with storage of their own."""
        self._body, self._at = body, 0
        try:
            value = self._read(0)
        except struct.error:
            raise WireError("a body ends too soon") from None
        if self._at != len(body):
            raise WireError("a body goes on after its value")
        return value

    def _take(self, count: int) -> bytes:
        if count > len(self._body) - self._at:
            raise WireError("a body ends too soon")
        self._at += count
        return bytes(self._body[self._at - count : self._at])

    def _unpack(self, form: struct.Struct) -> Any:
        values = form.unpack_from(self._body, self._at)
        self._at += form.size
        return values if len(values) > 1 else values[0]

    def _read(self, depth: int) -> Any:
        self._nodes += 1
        if depth > self._caps.depth or self._nodes > self._caps.nodes:
            raise WireError("a body is nested too deeply or holds too many values")
        tag = self._take(1)
        match tag:
            case b"N":
                return None
            case b"T":
                return True
            case b"F":
                return False
            case b"i":
                return self._unpack(I64)
            case b"f":
                return self._unpack(F64)
            case b"s":
                return self._read_text()
            case b"b":
                return self._take(self._unpack(U32))
            case b"D":
                return self._dtype(self._take(1)[0])
            case b"X":
                return self._read_tensor()
            case b"l":
                return [self._read(depth + 1) for _ in range(self._count(1))]
            case b"t":
                return tuple([self._read(depth + 1) for _ in range(self._count(1))])
            case b"d":
                return self._read_dict(depth)
            case b"h":
                owner, number = self._unpack(REFERENCE)
                return self._references.resolve(owner, number, self._read_text())
            case _:
                raise WireError(f"there is no value of kind {tag!r}")

    def _count(self, least: int) -> int:
        """A number of items, each of which takes `least` bytes or more."""
        count: int = self._unpack(U32)
        if count * least > len(self._body) - self._at:
            raise WireError("a body ends too soon")
        return count

    def _read_text(self) -> str:
        try:
            return self._take(self._unpack(U32)).decode()
        except UnicodeDecodeError:
            raise WireError("a text is not UTF-8") from None

    def _read_dict(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for _ in range(self._count(5)):
            key = self._read_text()
            if key in found:
                raise WireError("a dict has a key twice")
            found[key] = self._read(depth + 1)
        return found

    def _dtype(self, code: int) -> torch.dtype:
        if code >= len(DTYPES):
            raise WireError(f"there is no dtype {code}")
        return DTYPES[code]

    def _read_tensor(self) -> Tensor:
        self._tensors += 1
        code, flags, dims = self._take(3)
        dtype = self._dtype(code)
        if self._tensors > self._caps.tensors or dims > self._caps.dims or flags & ~(TRACKED | PERMUTED):
            raise WireError("a tensor is out of bounds")
        shape: tuple[int, ...] = struct.unpack(f"<{dims}Q", self._take(8 * dims))
        order = tuple(self._take(dims)) if flags & PERMUTED else tuple(range(dims))
        if sorted(order) != list(range(dims)):
            raise WireError("the axes of a tensor are out of order")
        elements, extent = 1, 1
        for length in shape:
            elements *= length
            extent *= max(length, 1)
        size = elements * dtype.itemsize
        if extent > self._caps.elements or size > len(self._body) - self._at:
            raise WireError("a tensor is larger than its body")
        tensor = torch.empty([shape[axis] for axis in order], dtype=dtype)
        if size:
            ctypes.memmove(tensor.data_ptr(), ctypes.byref(ctypes.c_char.from_buffer(self._body, self._at)), size)
            self._at += size
            # Any other byte in a bool is undefined behaviour in every kernel that reads it.
            if dtype is torch.bool and bool((tensor.view(torch.uint8) > 1).any()):
                raise WireError("a bool is neither 0 nor 1")
        if flags & PERMUTED:
            tensor = tensor.permute([order.index(axis) for axis in range(dims)])
        if flags & TRACKED:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise WireError("only floating tensors can be tracked")
            self.tracked.append(tensor)
        return tensor
