"""Right parts put together wrongly: which of them was given other arguments than the reference gives it?"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import torch
from torch import Tensor

from grader.run.stages import Stage
from grader.standin import stand_in

_NEAR = 1e-5
"""Relative; a learner's numbers may have gone through float32."""


@dataclass(frozen=True)
class Miswired:
    """The stage where a call went wrong, or the last one that went right."""

    stage: Stage
    sentence: str


class Listener:
    """Lends the reference's functions to a learner's composition and notes what they are given.

    stages: every call that the reference makes; a call of a learner's may equal any of the same exercise.
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        self._stages: dict[str, list[Stage]] = {}
        for stage in stages:
            self._stages.setdefault(stage.exercise, []).append(stage)
        self._unmet = {exercise: list(found) for exercise, found in self._stages.items()}
        self._wrong: Miswired | None = None
        self._last: Stage | None = None

    @property
    def exercises(self) -> list[str]:
        """Those that are listened to."""
        return list(self._stages)

    def at(self, exercise: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The reference's function, its calls noted."""
        signature = inspect.signature(function)
        lent = stand_in(function)

        @wraps(function)
        def listening(*args: Any, **kwargs: Any) -> Any:
            if self._wrong is None:
                self._note(exercise, signature, args, kwargs)
            return lent(*args, **kwargs)

        return listening

    def first_wrong(self) -> Miswired | None:
        """The first call with other arguments; without one, the last that was right; None if nothing was called."""
        if self._wrong is not None or self._last is None:
            return self._wrong
        return Miswired(self._last, "Up to this stage everything is as it should be; what follows it differs.")

    def _note(self, exercise: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Any) -> None:
        try:
            given = _bound(signature, args, kwargs)
        except TypeError:
            return  # the stand-in itself will refuse it
        expected = [
            (stage, _bound(signature, stage.probe.args, stage.probe.kwargs)) for stage in self._stages[exercise]
        ]
        for stage, arguments in expected:
            if all(_alike(given[name], value) for name, value in arguments.items()):
                self._last = stage
                self._unmet[exercise] = [other for other in self._unmet[exercise] if other is not stage]
                return
        stage = (self._unmet[exercise] or self._stages[exercise])[0]
        arguments = next(found for other, found in expected if other is stage)
        differing = [name for name, value in arguments.items() if not _alike(given[name], value)]
        names = " and ".join(f"`{name}`" for name in differing)
        self._wrong = Miswired(stage, f"`{exercise}` is right by itself, but it is given another {names} here.")


def _bound(signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)


def _alike(mine: Any, right: Any) -> bool:
    if isinstance(mine, Tensor) and isinstance(right, Tensor):
        if mine.shape != right.shape:
            return False
        if not right.is_floating_point():
            return torch.equal(mine, right)
        scale = float(right.abs().max()) if right.numel() else 0.0
        return bool(((mine.double() - right.double()).abs() <= _NEAR * scale).all())
    if isinstance(mine, dict) and isinstance(right, dict):
        return all(key in mine and _alike(mine[key], value) for key, value in right.items())
    if callable(mine) and callable(right):
        return True
    return type(mine) is type(right) and bool(mine == right)
