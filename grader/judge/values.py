"""Walking nested values: the tensors, numbers and containers that exercises take and return."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

Place = tuple[int | str, ...]
"""Where a leaf lies in a nested value: list positions and dict keys from the outside in."""


def leaves(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every leaf of a nested value with its place, in order; containers themselves are not yielded."""
    if isinstance(value, list | tuple):
        for position, item in enumerate(value):
            yield from leaves(item, (*place, position))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*place, key))
    else:
        yield place, value


def tensors(value: Any) -> Iterator[tuple[Place, Tensor]]:
    """Every tensor of a nested value with its place."""
    return ((place, leaf) for place, leaf in leaves(value) if isinstance(leaf, Tensor))


def map_tensors(change: Callable[[Tensor], Tensor], value: Any) -> Any:
    """The same nested value with every tensor replaced by `change(tensor)`."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, list):
        return [map_tensors(change, item) for item in value]
    if isinstance(value, tuple):
        return tuple(map_tensors(change, item) for item in value)
    if isinstance(value, dict):
        return {key: map_tensors(change, item) for key, item in value.items()}
    return value


def cast_floating(value: Any, dtype: torch.dtype) -> Any:
    """Every floating tensor as `dtype`; integers and masks stay as they are."""
    return map_tensors(lambda t: t.to(dtype) if t.is_floating_point() else t, value)


def clone(value: Any) -> Any:
    """A copy that shares no memory with `value`."""
    return map_tensors(lambda t: t.detach().clone(), value)


def floating_dtype(value: Any) -> torch.dtype | None:
    """The dtype of the first floating tensor of `value`, None if there are none.

    Floating arguments of one call share a dtype, but for rotary angles: they come last and are float32 whatever x is.
    """
    return next((t.dtype for _, t in tensors(value) if t.is_floating_point()), None)


def size(value: Any) -> int:
    """How many numbers a person would have to read."""
    return sum(leaf.numel() if isinstance(leaf, Tensor) else 1 for _, leaf in leaves(value))


def identical(a: Any, b: Any) -> bool:
    """Bitwise equality of nested values, dtypes and shapes included; NaN equals NaN."""
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return isinstance(a, Tensor) and isinstance(b, Tensor) and _same_tensor(a, b)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(identical, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(identical(a[key], b[key]) for key in a)
    return type(a) is type(b) and bool(a == b or (a != a and b != b))


def _same_tensor(a: Tensor, b: Tensor) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if torch.equal(a, b):
        return True
    return a.is_floating_point() and bool(((a == b) | (a.isnan() & b.isnan())).all())
