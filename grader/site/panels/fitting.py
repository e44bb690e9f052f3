"""A learner's functions for a picture, held to the form of the reference's answers to the same questions.

What they return is computed with further outside the sandbox, where nothing bounds memory: a tensor that is only shaped
a little differently could be broadcast to any size.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.run.functions import Functions

ROW = 1000
"""Numbers that a row may have, whatever was expected: a few too many are drawn, so that they are seen."""
TEXT = 200
"""Characters of a text."""


class Unfit(Exception):
    """What a function returned has not the form that is expected of it."""

    def __init__(self, exercise: str, found: Any, wanted: Any) -> None:
        returned, expected = described(found), described(wanted)
        tail = f", where {expected} was expected" if returned != expected else " in a form that was not expected"
        super().__init__(f"It returned {returned}{tail}.")
        self.exercise = exercise


class Fitting:
    """`functions`, of whose answers those are refused that are no answers of the reference's form."""

    def __init__(self, functions: Functions, reference: Functions) -> None:
        self._functions, self._reference = functions, reference

    def call(self, exercise: str, *args: Any, **kwargs: Any) -> Any:
        """What the function returns. Raises Unfit, and what the functions themselves raise."""
        found = self._functions.call(exercise, *args, **kwargs)
        wanted = self._reference.call(exercise, *args, **kwargs)
        if not fits(found, wanted):
            raise Unfit(exercise, found, wanted)
        return found


def fits(found: Any, wanted: Any) -> bool:
    """Whether something has the form of something else, and is no larger. What is shorter fits."""
    match wanted:
        case Tensor():
            return isinstance(found, Tensor) and _fits(found, wanted)
        case dict():
            return isinstance(found, dict) and found.keys() == wanted.keys() and all(
                fits(found[key], each) for key, each in wanted.items()
            )  # fmt: skip
        case list() | tuple():
            return isinstance(found, list | tuple) and len(found) <= len(wanted) and all(
                fits(one, other) for one, other in zip(found, wanted, strict=False)
            )  # fmt: skip
        case str():
            return isinstance(found, str) and len(found) <= TEXT
        case bool():
            return isinstance(found, bool)
        case int() | float():
            if isinstance(found, Tensor):
                return found.dim() == 0 and found.dtype != torch.bool
            return isinstance(found, int | float) and not isinstance(found, bool)
    return type(found) is type(wanted)


def _fits(found: Tensor, wanted: Tensor) -> bool:
    if found.is_complex() or (found.dtype == torch.bool and wanted.dtype != torch.bool):
        return False
    if wanted.dim() == 1 and found.dim() == 1:
        return found.numel() <= max(wanted.numel(), ROW)
    return found.dim() == wanted.dim() and all(map(int.__le__, found.shape, wanted.shape))


def described(value: Any, *, inside: bool = True) -> str:
    """What something is, in words: `a tensor of shape (2, 3)`. inside: and what it is made of, if that is not much."""
    match value:
        case Tensor():
            kind = {torch.bool: " of truth values"}.get(
                value.dtype, " of complex numbers" if value.is_complex() else ""
            )
            return f"a tensor{kind} of shape {tuple(value.shape)}"
        case None:
            return "None"
        case bool():
            return "a truth value"
        case int() | float():
            return "a number"
        case str():
            return "a text" if len(value) <= TEXT else f"a text of {len(value)} characters"
        case list() | tuple() if inside and 0 < len(value) <= 3:
            items = " and ".join(described(each, inside=False) for each in value)
            return f"a {type(value).__name__} of {items}"
        case list() | tuple() | dict():
            return f"a {type(value).__name__} of {len(value)}"
    return f"a {type(value).__name__}"
