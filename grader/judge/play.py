"""Several calls of one function that make up one question: training steps, decoding one token after another.

A play is a function of a suite, `play(function, *args, **kwargs)`. It runs in the grader and calls the function under
test as often as it likes; what it returns is compared as the value of a single call would be.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from grader.sandbox.reply import NotAValue, Outcome, Path, Returned

if TYPE_CHECKING:
    from grader.judge.probe import Probe

Play = Callable[..., Any]


class _Ended(Exception):
    """A call of the play did not return; its outcome is the outcome of the play."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__("the play ended early")
        self.outcome = outcome


class Kept:
    """Stands for a part of a result that only the function itself may look into."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


def keeping(function: Callable[..., Any], opaque: tuple[int, ...]) -> Callable[..., Any]:
    """The function with the opaque positions of the tuple that it returns wrapped, and unwrapped when given back."""

    def kept(*args: Any, **kwargs: Any) -> Any:
        value = function(*map(_opened, args), **{name: _opened(item) for name, item in kwargs.items()})
        if not isinstance(value, tuple):
            return value
        return tuple(Kept(item) if position in opaque else item for position, item in enumerate(value))

    return kept


def _opened(value: Any) -> Any:
    return value.value if isinstance(value, Kept) else value


def parameters(play: Play) -> tuple[str, ...]:
    """What a play takes beside the function."""
    return tuple(inspect.signature(play).parameters)[1:]


def perform(probe: Probe, ask: Callable[[Probe], Outcome]) -> Outcome:
    """The outcome of the probe's play, each call of which goes through `ask`.

    A result that the play cannot use (a lone tensor where a pair is taken apart) is the function's doing; a play that
    fails before it has called anything fails on its own account, and its exception comes out.
    """
    assert probe.play is not None
    returned: list[Returned] = []

    def function(*args: Any, **kwargs: Any) -> Any:
        outcome = ask(probe.one_call(args, kwargs))
        if not isinstance(outcome, Returned):
            raise _Ended(outcome)
        returned.append(outcome)
        return outcome.value

    try:
        value = probe.play(function, *probe.args, **probe.kwargs)
    except _Ended as ended:
        return ended.outcome
    except Exception as error:
        if not returned:
            raise
        # The same happens to the reference when the play itself is at fault, and there it is the grader's own fault.
        return NotAValue(f"something that could not be used as the course describes it ({error})")
    changed = {_named(path, probe.names): None for outcome in returned for path in outcome.changed_inputs}
    effects = {effect: None for outcome in returned for effect in outcome.effects}
    stale = any(outcome.stale for outcome in returned)
    return Returned(value, None, tuple(changed), stale, "".join(o.output for o in returned), tuple(effects))


def _named(path: Path, names: tuple[str, ...]) -> Path:
    """A changed argument by its name: its position is that of one call, not of the play."""
    head, *keys = path if isinstance(path, tuple) else (path,)
    name = names[head] if isinstance(head, int) and head < len(names) else head
    return (name, *keys) if keys else name
