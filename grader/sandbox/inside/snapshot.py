"""What values were before a call, to tell what the call changed in place."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

Place = tuple[int | str, ...]
_DEEPEST = 64
"""Levels looked into: a container may hold itself after the call."""


@dataclass(frozen=True)
class _Picture:
    """A tensor's metadata and bytes, copied."""

    metadata: tuple[object, ...]
    raw: bytes


class Snapshot:
    """A picture of every tensor in a nested value, and of the containers' own shape.

    skip: says which objects are not looked into (those that stay in the worker and are meant to change).
    """

    def __init__(self, value: Any, skip: Callable[[object], bool] = lambda _: False) -> None:
        self._value = value
        self._skip = skip
        self._before = _picture(value, skip)

    def changes(self) -> list[Place]:
        """Where the same objects differ now, outermost first."""
        return list(_differences(self._before, _picture(self._value, self._skip), ()))


def _picture(value: Any, skip: Callable[[object], bool], depth: int = 0) -> Any:
    if type(value) is Tensor:
        return _tensor_picture(value)
    if isinstance(value, Tensor):
        with torch._C.DisableTorchFunctionSubclass(), torch._C._DisableTorchDispatch():
            return _tensor_picture(value)
    if depth > _DEEPEST or skip(value):
        return None
    if isinstance(value, list | tuple):
        return [_picture(item, skip, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: _picture(item, skip, depth + 1) for key, item in value.items()}
    return value if isinstance(value, bool | int | float | str | bytes) else None


def _tensor_picture(value: Tensor) -> _Picture:
    shape = tuple(value.shape)
    try:
        plain = value if value.is_contiguous() else value.detach().contiguous()
        if plain.is_conj() or plain.is_neg():
            plain = plain.detach().resolve_conj().resolve_neg()
        raw = ctypes.string_at(plain.data_ptr(), plain.numel() * plain.element_size()) if plain.numel() else b""
    except (RuntimeError, NotImplementedError):
        raw = b""  # no numbers to look at: sparse, meta
    return _Picture((value.dtype, shape, value.stride() if value.layout is torch.strided else ()), raw)


def _differences(before: Any, after: Any, place: Place) -> Iterator[Place]:
    if isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield place
            return
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _differences(old, new, (*place, index))
    elif isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            here = (*place, key) if isinstance(key, int | str) else place
            if key in before and key in after:
                yield from _differences(before[key], after[key], here)
            else:
                yield here
    elif type(before) is not type(after) or (before != after and not (before != before and after != after)):
        yield place
