"""One call of a learner's function: gradients, changed arguments, stale results, effects on what all share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from .effects import RANDOM_STATE, REQUIRES_GRAD, random_state, requires_grad
from .gradients import Computations
from .peer import Opaque
from .snapshot import Place, Snapshot


class Caller:
    """Calls functions one after another and remembers the result before. tokens: takes what stays here."""

    def __init__(self, computations: Computations, tokens: list[object]) -> None:
        self._computations = computations
        self._tokens = tokens
        self._last: Snapshot | None = None

    def call(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        wrt: Sequence[Place] | None,
        cotangent: Any,
        opaque: Sequence[int],
    ) -> tuple[Any, list[Tensor | None] | None, list[Place], bool, list[str]]:
        """The value, the gradients in the order of `wrt` (see Returned; detached is an empty list), the places of
        changed arguments, whether the result of the call before was changed, and other effects.

        Raises whatever the function raises.
        """
        leaves = [_at(args, kwargs, place).requires_grad_() for place in wrt or ()]
        before, state = Snapshot((args, kwargs), self._stays_here), random_state()
        with torch.enable_grad():  # an earlier call may have switched it off for good
            value = function(*args, **kwargs)
        changed = [place[1:] for place in before.changes()]
        stale = self._last is not None and bool(self._last.changes())
        effects = [] if torch.equal(random_state(), state) else [RANDOM_STATE]
        if not leaves and requires_grad(value):
            effects.append(REQUIRES_GRAD)
        gradients = None if wrt is None else self._gradients(value, cotangent, leaves)
        return self._keep(value, opaque), gradients, changed, stale, effects

    def remember(self, value: Any) -> None:
        """Keep a result that has crossed, to see whether the next call changes it."""
        self._last = Snapshot(value, self._stays_here)

    def _gradients(self, value: Any, cotangent: Any, leaves: list[Tensor]) -> list[Tensor | None] | None:
        pairs = []
        for place, weight in _tensors(cotangent, ()):
            output = _part(value, place)
            if not isinstance(output, Tensor) or output.shape != weight.shape:
                return None
            if output.requires_grad:
                pairs.append((output, weight.to(output.dtype)))
        if not pairs:
            return []
        return self._computations.gradients([output for output, _ in pairs], leaves, [weight for _, weight in pairs])

    def _keep(self, value: Any, opaque: Sequence[int]) -> Any:
        """The value with the parts that stay here replaced by tokens."""
        if not opaque or not isinstance(value, tuple):
            return value
        items = list(value)
        for position in opaque:
            if position < len(items):
                self._tokens.append(items[position])
                items[position] = Opaque(0, len(self._tokens) - 1)
        return tuple(items)

    def _stays_here(self, value: object) -> bool:
        return any(value is token for token in self._tokens)


def _at(args: tuple[Any, ...], kwargs: Mapping[str, Any], place: Place) -> Any:
    name, *rest = place
    value = args[name] if isinstance(name, int) else kwargs[name]
    for key in rest:
        value = value[key]
    return value


def _part(value: Any, place: Place) -> Any:
    """The part of a result at a place of the cotangent, None where the result has no such part."""
    for key in place:
        if isinstance(value, dict):
            has_part = key in value
        else:
            has_part = isinstance(value, list | tuple) and isinstance(key, int) and key < len(value)
        if not has_part:
            return None
        value = value[key]
    return value


def _tensors(value: Any, place: Place) -> Iterator[tuple[Place, Tensor]]:
    if isinstance(value, Tensor):
        yield place, value
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _tensors(item, (*place, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _tensors(item, (*place, key))
