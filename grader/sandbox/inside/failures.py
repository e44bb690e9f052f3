"""Exceptions that cross the channel, in either direction."""

from __future__ import annotations

from .decoder import Decoder
from .encoder import Encoder
from .frames import WireError, parts

TOLD: tuple[type[Exception], ...] = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What a trusted function may raise because of the arguments it was given: the caller gets the same built-in type."""

_BUILTINS: tuple[type[Exception], ...] = (
    NotImplementedError,
    RecursionError,
    RuntimeError,
    KeyError,
    IndexError,
    LookupError,
    ZeroDivisionError,
    OverflowError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    MemoryError,
    TypeError,
    ValueError,
)
"""Narrower types before wider ones."""
_BY_NAME = {kind.__name__: kind for kind in _BUILTINS}
_MESSAGE = 1000


class RemoteFailure(Exception):
    """A function of the other side raised something that is no common built-in exception."""


class Failures:
    """The exceptions that this side has told of, so that one which comes back is raised as the object it was."""

    def __init__(self) -> None:
        self._told: list[BaseException] = []

    def tell(self, error: BaseException) -> bytes:
        """The body that tells of an exception."""
        came_from = getattr(error, "_came_from", -1)
        self._told.append(error)
        name = next((kind.__name__ for kind in _BUILTINS if isinstance(error, kind)), type(error).__name__)
        number = len(self._told) - 1
        return Encoder().encode((name, text_of(error), number, came_from if type(came_from) is int else -1))

    def hear(self, body: bytearray) -> BaseException:
        """The exception to raise for a body made by the other side's `tell`. Raises WireError."""
        name, message, number, came_from = parts(Decoder().decode(body), str, str, int, int)
        if came_from != -1:
            if not 0 <= came_from < len(self._told):
                raise WireError("a failure that never was")
            original: BaseException = self._told[came_from]
            return original
        kind = _BY_NAME.get(name)
        error = kind(message) if kind else RemoteFailure(f"{name}: {message}")
        error._came_from = number  # type: ignore[attr-defined]  # read by `tell` if it passes through this side
        return error

    def clear(self) -> None:
        """Forget them: the request they belonged to has ended."""
        self._told.clear()


def text_of(error: BaseException) -> str:
    """The message of an exception, shortened; its `__str__` is not trusted to work."""
    try:
        text = str.__str__(str(error))[:_MESSAGE]
    except Exception:
        return "(its message cannot be shown)"
    return text.encode(errors="backslashreplace").decode()
