"""Values to bytes. In a worker the values are the learner's, so their own methods are not asked."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import torch
from torch import Tensor

from .codec import CODES, F64, I64, PERMUTED, REFERENCE, TRACKED, U32, CannotCross, Caps, PlainValues, References


def describe(value: object) -> str:
    """A value's type in words, with its article."""
    kind = type(value)
    module, name = str(kind.__module__), str(kind.__qualname__)
    full = name if module in ("builtins", "__main__") else f"{module}.{name}"
    return f"{'an' if full[:1].lower() in 'aeiou' else 'a'} {full[:120]}"


class Encoder:
    """Writes one body. tracked: the tensors met that require grad, when `track` is set (their order is the decoder's).

    keep_strides: a tensor whose storage is a permutation of its axes keeps it; others are sent contiguous.
    """

    def __init__(
        self,
        references: References | None = None,
        *,
        caps: Caps | None = None,
        track: bool = False,
        keep_strides: bool = False,
    ) -> None:
        self.tracked: list[Tensor] = []
        self._references = references or PlainValues()
        self._caps = caps or Caps()
        self._track = track
        self._keep_strides = keep_strides
        self._parts: list[bytes] = []
        self._nodes = self._tensors = self._size = 0

    def encode(self, value: object) -> bytes:
        """The bytes of a value. Raises CannotCross."""
        self._write(value, 0)
        return b"".join(self._parts)

    def _put(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._caps.size:
            raise CannotCross(f"more than {self._caps.size >> 20} MB")
        self._parts.append(part)

    def _write(self, value: object, depth: int) -> None:
        self._nodes += 1
        if self._nodes > self._caps.nodes:
            raise CannotCross(f"more than {self._caps.nodes} values")
        if depth > self._caps.depth:
            raise CannotCross(f"something nested deeper than {self._caps.depth} levels")
        kind = type(value)
        if value is None:
            self._put(b"N")
        elif kind is bool:
            self._put(b"T" if value else b"F")
        elif issubclass(kind, Tensor):
            self._write_tensor(value)  # type: ignore[arg-type]  # the line above
        elif issubclass(kind, float):
            self._put(b"f" + F64.pack(float.__pos__(value)))  # type: ignore[arg-type]
        elif issubclass(kind, int):
            self._write_int(int.__pos__(value))  # type: ignore[arg-type]
        elif issubclass(kind, str):
            self._put(b"s")
            self._write_text(str.__str__(value))  # type: ignore[arg-type]
        elif issubclass(kind, bytes):
            raw = bytes.__getitem__(value, slice(None))  # type: ignore[arg-type]
            self._put(b"b" + U32.pack(len(raw)) + raw)
        elif kind is torch.dtype:
            self._put(b"D" + bytes([self._code(value)]))
        elif issubclass(kind, list | tuple):
            self._write_sequence(value, list if issubclass(kind, list) else tuple, depth)
        elif issubclass(kind, dict):
            self._write_dict(value, depth)
        else:
            self._write_reference(value)

    def _write_int(self, number: int) -> None:
        if not -(1 << 63) <= number < 1 << 63:
            raise CannotCross("an int that needs more than 64 bits")
        self._put(b"i" + I64.pack(number))

    def _write_text(self, text: str) -> None:
        try:
            raw = text.encode()
        except UnicodeEncodeError:
            raise CannotCross("a str with lone surrogates") from None
        self._put(U32.pack(len(raw)) + raw)

    def _write_sequence(self, value: Any, base: type[list[Any]] | type[tuple[Any, ...]], depth: int) -> None:
        self._put((b"l" if base is list else b"t") + U32.pack(base.__len__(value)))
        for item in base.__iter__(value):
            self._write(item, depth + 1)

    def _write_dict(self, value: Any, depth: int) -> None:
        self._put(b"d" + U32.pack(dict.__len__(value)))
        for key, item in dict.items(value):
            if not issubclass(type(key), str):
                raise CannotCross(f"a dict with {describe(key)} as a key")
            self._write_text(str.__str__(key))
            self._write(item, depth + 1)

    def _write_reference(self, value: object) -> None:
        found = self._references.refer(value)
        if found is None:
            raise CannotCross(describe(value))
        self._put(b"h" + REFERENCE.pack(*found))
        self._write_text(describe(value).encode(errors="replace").decode())

    def _code(self, dtype: Any) -> int:
        if dtype not in CODES:
            raise CannotCross(f"the dtype {dtype}")
        return CODES[dtype]

    def _write_tensor(self, value: Tensor) -> None:
        self._tensors += 1
        if self._tensors > self._caps.tensors:
            raise CannotCross(f"more than {self._caps.tensors} tensors")
        # A subclass may answer every question about itself; with both guards the base class answers.
        with torch._C.DisableTorchFunctionSubclass(), torch._C._DisableTorchDispatch():
            try:
                self._write_plain(value)
            except (RuntimeError, NotImplementedError, AttributeError, TypeError) as error:
                raise CannotCross(f"{describe(value)} whose numbers cannot be read") from error

    def _write_plain(self, value: Tensor) -> None:
        if value.layout is not torch.strided or value.device.type != "cpu" or value.is_quantized:
            kind = "quantized" if value.is_quantized else str(value.layout).removeprefix("torch.")
            raise CannotCross(f"a tensor that is {kind} on {value.device}; a dense one on the CPU is needed")
        code = self._code(value.dtype)
        if value.dim() > self._caps.dims:
            raise CannotCross(f"a tensor of {value.dim()} dimensions")
        size = value.numel() * value.element_size()
        if self._size + size > self._caps.size:
            raise CannotCross(f"more than {self._caps.size >> 20} MB")
        flags = 0
        if self._track and value.requires_grad:
            flags |= TRACKED
            self.tracked.append(value)
        shape = tuple(value.shape)
        plain = value.detach().resolve_conj().resolve_neg()
        order = b""
        if not plain.is_contiguous():
            axes = sorted(range(plain.dim()), key=lambda axis: -plain.stride(axis))
            if self._keep_strides and plain.permute(axes).is_contiguous():
                flags |= PERMUTED
                plain, order = plain.permute(axes), bytes(axes)
            else:
                plain = plain.contiguous()
        head = struct.pack(f"<cBBB{len(shape)}Q", b"X", code, flags, len(shape), *shape)
        self._put(head + order)
        if size:
            self._put(ctypes.string_at(plain.data_ptr(), size))
