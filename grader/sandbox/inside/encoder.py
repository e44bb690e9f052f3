"""Values to bytes. In a worker the values are the learner's, so their own methods are not asked."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
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
        self._nodes = self._tensors = self._size = self._depth = 0

    def encode(self, value: object) -> bytes:
        """The bytes of a value. Raises CannotCross."""
        self._write(value)
        return b"".join(self._parts)

    def _put(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._caps.size:
            raise CannotCross(f"more than {self._caps.size >> 20} MB")
        self._parts.append(part)

    def _write(self, value: Any) -> None:
        self._nodes += 1
        if self._nodes > self._caps.nodes:
            raise CannotCross(f"more than {self._caps.nodes} values")
        kind = type(value)
        write = _WRITERS.get(kind)
        if write is None:
            write = next(
                (write for base, write in _WRITERS.items() if issubclass(kind, base)), Encoder._write_reference
            )
        write(self, value)

    def _descend(self) -> None:
        self._depth += 1
        if self._depth > self._caps.depth:
            raise CannotCross(f"something nested deeper than {self._caps.depth} levels")

    def _write_none(self, _: None) -> None:
        self._put(b"N")

    def _write_bool(self, value: bool) -> None:
        self._put(b"T" if value else b"F")

    def _write_float(self, value: float) -> None:
        self._put(b"f" + F64.pack(float.__pos__(value)))

    def _write_int(self, value: int) -> None:
        number = int.__pos__(value)
        if not -(1 << 63) <= number < 1 << 63:
            raise CannotCross("an int that needs more than 64 bits")
        self._put(b"i" + I64.pack(number))

    def _write_str(self, value: str) -> None:
        self._put(b"s" + _text(value))

    def _write_bytes(self, value: bytes) -> None:
        raw = bytes.__getitem__(value, slice(None))
        self._put(b"b" + U32.pack(len(raw)) + raw)

    def _write_dtype(self, value: torch.dtype) -> None:
        self._put(b"D" + bytes([_code(value)]))

    def _write_list(self, value: list[Any]) -> None:
        self._put(b"l" + U32.pack(list.__len__(value)))
        self._descend()
        for item in list.__iter__(value):
            self._write(item)
        self._depth -= 1

    def _write_tuple(self, value: tuple[Any, ...]) -> None:
        self._put(b"t" + U32.pack(tuple.__len__(value)))
        self._descend()
        for item in tuple.__iter__(value):
            self._write(item)
        self._depth -= 1

    def _write_dict(self, value: dict[Any, Any]) -> None:
        self._put(b"d" + U32.pack(dict.__len__(value)))
        self._descend()
        for key, item in dict.items(value):
            if not issubclass(type(key), str):
                raise CannotCross(f"a dict with {describe(key)} as a key")
            self._put(_text(key))
            self._write(item)
        self._depth -= 1

    def _write_reference(self, value: object) -> None:
        found = self._references.refer(value)
        if found is None:
            raise CannotCross(describe(value))
        label = describe(value).encode(errors="replace").decode()
        self._put(b"h" + REFERENCE.pack(*found) + _text(label))

    def _write_tensor(self, value: Tensor) -> None:
        self._tensors += 1
        if self._tensors > self._caps.tensors:
            raise CannotCross(f"more than {self._caps.tensors} tensors")
        try:
            if type(value) is Tensor:
                self._write_plain(value)
                return
            # A subclass may answer every question about itself; with both guards the base class answers.
            with torch._C.DisableTorchFunctionSubclass(), torch._C._DisableTorchDispatch():
                self._write_plain(value)
        except (RuntimeError, NotImplementedError, AttributeError, TypeError) as error:
            raise CannotCross(f"{describe(value)} whose numbers cannot be read") from error

    def _write_plain(self, value: Tensor) -> None:
        if value.layout is not torch.strided or value.device.type != "cpu" or value.is_quantized:
            kind = "quantized" if value.is_quantized else str(value.layout).removeprefix("torch.")
            raise CannotCross(f"a tensor that is {kind} on {value.device}; a dense one on the CPU is needed")
        code = _code(value.dtype)
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
        plain, order = value, b""
        if plain.is_conj() or plain.is_neg():
            plain = plain.detach().resolve_conj().resolve_neg()
        if not plain.is_contiguous():
            plain = plain.detach()
            strides = plain.stride()
            axes = sorted(range(plain.dim()), key=lambda axis: -strides[axis])
            if self._keep_strides and plain.permute(axes).is_contiguous():
                flags |= PERMUTED
                plain, order = plain.permute(axes), bytes(axes)
            else:
                plain = plain.contiguous()
        head = struct.pack(f"<4B{len(shape)}Q", ord("X"), code, flags, len(shape), *shape)
        self._put(head + order)
        if size:
            self._put(ctypes.string_at(plain.data_ptr(), size))


_WRITERS: dict[type, Callable[[Encoder, Any], None]] = {
    type(None): Encoder._write_none,
    bool: Encoder._write_bool,
    Tensor: Encoder._write_tensor,
    float: Encoder._write_float,
    int: Encoder._write_int,
    str: Encoder._write_str,
    bytes: Encoder._write_bytes,
    torch.dtype: Encoder._write_dtype,
    list: Encoder._write_list,
    tuple: Encoder._write_tuple,
    dict: Encoder._write_dict,
}
"""By base type; the first that fits a subclass counts."""


def _text(value: str) -> bytes:
    try:
        raw = str.encode(value)
    except UnicodeEncodeError:
        raise CannotCross("a str with lone surrogates") from None
    return U32.pack(len(raw)) + raw


def _code(dtype: torch.dtype) -> int:
    if dtype not in CODES:
        raise CannotCross(f"the dtype {dtype}")
    return CODES[dtype]
