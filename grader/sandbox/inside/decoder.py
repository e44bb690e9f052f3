"""Bytes to values. In the grader the bytes are a learner's, so nothing about them is taken on trust."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
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
        self._at = self._nodes = self._tensors = self._depth = 0

    def decode(self, body: bytearray) -> Any:
        """The value of a body. Raises WireError. The tensors are base-class tensors with storage of their own."""
        self._body, self._at = body, 0
        try:
            value = self._read()
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
        (value,) = form.unpack_from(self._body, self._at)
        self._at += form.size
        return value

    def _read(self) -> Any:
        self._nodes += 1
        if self._nodes > self._caps.nodes:
            raise WireError("a body holds too many values")
        if self._at >= len(self._body):
            raise WireError("a body ends too soon")
        read = _READERS.get(self._body[self._at])
        if read is None:
            raise WireError(f"there is no value of kind {self._body[self._at]}")
        self._at += 1
        return read(self)

    def _descend(self) -> None:
        self._depth += 1
        if self._depth > self._caps.depth:
            raise WireError("a body is nested too deeply")

    def _read_bytes(self) -> bytes:
        return self._take(self._unpack(U32))

    def _read_list(self) -> list[Any]:
        self._descend()
        items = [self._read() for _ in range(self._count(1))]
        self._depth -= 1
        return items

    def _read_tuple(self) -> tuple[Any, ...]:
        return tuple(self._read_list())

    def _read_reference(self) -> object:
        owner, number = REFERENCE.unpack_from(self._body, self._at)
        self._at += REFERENCE.size
        return self._references.resolve(owner, number, self._read_text())

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

    def _read_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self._descend()
        for _ in range(self._count(5)):
            key = self._read_text()
            if key in found:
                raise WireError("a dict has a key twice")
            found[key] = self._read()
        self._depth -= 1
        return found

    def _read_dtype(self) -> torch.dtype:
        return self._dtype(self._take(1)[0])

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
        order = tuple(range(dims))
        if flags & PERMUTED:
            order = tuple(self._take(dims))
            if sorted(order) != list(range(dims)):
                raise WireError("the axes of a tensor are out of order")
        elements, extent = 1, 1
        for length in shape:
            elements *= length
            extent *= max(length, 1)
        size = elements * dtype.itemsize
        if extent > self._caps.elements or size > len(self._body) - self._at:
            raise WireError("a tensor is larger than its body")
        tensor = torch.empty([shape[axis] for axis in order] if flags & PERMUTED else shape, dtype=dtype, device="cpu")
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


_READERS: dict[int, Callable[[Decoder], Any]] = {
    ord("N"): lambda _: None,
    ord("T"): lambda _: True,
    ord("F"): lambda _: False,
    ord("i"): lambda decoder: decoder._unpack(I64),
    ord("f"): lambda decoder: decoder._unpack(F64),
    ord("s"): Decoder._read_text,
    ord("b"): Decoder._read_bytes,
    ord("D"): Decoder._read_dtype,
    ord("X"): Decoder._read_tensor,
    ord("l"): Decoder._read_list,
    ord("t"): Decoder._read_tuple,
    ord("d"): Decoder._read_dict,
    ord("h"): Decoder._read_reference,
}
