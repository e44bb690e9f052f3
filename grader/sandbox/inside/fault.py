"""An exception of the learner's code, as it is told to the grader."""

from __future__ import annotations

import linecache
from types import TracebackType

from .failures import text_of
from .modules import slug_of

_FRAMES = 6
_TRACE = 4000
_LINE = 200
_ALLOCATION = ("DefaultCPUAllocator", "can't allocate memory", "not enough memory")


def describe_fault(error: BaseException) -> tuple[object, ...]:
    """Type, message, line, module, trace, and whether it is a NotImplementedError, a ValueError, a want of memory."""
    name, message = _clean(type(error).__name__), text_of(error)
    places = _places(error.__traceback__)
    if isinstance(error, SyntaxError) and slug_of(str(error.filename)) and type(error.lineno) is int:
        message = _clean(str(error.msg))
        places = [*places, (str(error.filename), error.lineno, "")]
    file, line = (places[-1][0], places[-1][1]) if places else ("", None)
    return (
        name,
        message,
        line,
        slug_of(file),
        _trace(places, f"{name}: {message}" if message else name),
        isinstance(error, NotImplementedError),
        isinstance(error, ValueError),
        is_memory(error, message),
    )


def is_memory(error: BaseException, message: str) -> bool:
    """Whether an exception says that there was not enough memory."""
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and any(sign in message for sign in _ALLOCATION)
    )


def _places(trace: TracebackType | None) -> list[tuple[str, int, str]]:
    """File, line and function of the learner's own frames, outermost first."""
    found = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if slug_of(code.co_filename) is not None:
            found.append((code.co_filename, trace.tb_lineno or 0, code.co_name))
        trace = trace.tb_next
    return found


def _trace(places: list[tuple[str, int, str]], last: str) -> str:
    lines = []
    if len(places) > _FRAMES:
        lines.append(f"  ... {len(places) - _FRAMES} more calls ...")
    for file, line, function in places[-_FRAMES:]:
        lines.append(f'  File "{file}", line {line}' + (f", in {function}" if function else ""))
        if source := linecache.getline(file, line).strip():
            lines.append(f"    {source[:_LINE]}")
    return _clean("\n".join([*lines, last])[-_TRACE:])


def _clean(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()
