"""A reference function lent to a learner's code while an exercise that rests on a wrong one is judged.

The arguments come from code that is not trusted and are worked on in the grader's process, so their size and the total
time are bounded, and so is the memory that they make it take. A failure goes back to that code as an ordinary
exception; it is never the grader's.
"""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from torch import Tensor

from grader.judge.values import leaves, tensors

LARGEST_TENSOR = 2**15
"""Elements; the largest input of any suite is about a third of it."""
LARGEST_PRODUCT = 2**24
"""Product of all whole numbers among the arguments: they are sizes of what is made (a mask, a table)."""
MEMORY = 256 << 20
"""Bytes that one call may take: small arguments can be broadcast to something vast."""
SECONDS = 10.0
"""Total time of one stand-in."""


def stand_in(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, bounded. Raises only ValueError, TypeError and RuntimeError."""
    spent = 0.0

    @wraps(function)
    def bounded(*args: Any, **kwargs: Any) -> Any:
        nonlocal spent
        _refuse_large((args, kwargs))
        if spent > SECONDS:
            raise RuntimeError(f"{function.__name__} was called for more than {SECONDS:g} s in all")
        started = time.perf_counter()
        try:
            with _bounded_memory():
                return function(*args, **kwargs)
        except (ValueError, TypeError, RuntimeError):
            raise
        except Exception as error:  # whatever odd arguments provoke belongs to the caller
            raise RuntimeError(f"{function.__name__} cannot take these arguments: {error}") from error
        finally:
            spent += time.perf_counter() - started

    return bounded


def _refuse_large(arguments: Any) -> None:
    for _, tensor in tensors(arguments):
        if tensor.numel() > LARGEST_TENSOR:
            raise RuntimeError(f"a tensor of shape {tuple(tensor.shape)} is larger than any input of this course")
    if math.prod(_size(leaf) for _, leaf in leaves(arguments)) > LARGEST_PRODUCT:
        raise RuntimeError("these sizes are larger than any input of this course")


def _size(leaf: object) -> int:
    """A whole number as the size that it may stand for, 1 for anything else. A tensor of one number can be one too."""
    number = leaf.item() if isinstance(leaf, Tensor) and leaf.numel() == 1 else leaf
    return max(1, abs(number)) if isinstance(number, int) else 1


@contextmanager
def _bounded_memory() -> Iterator[None]:
    """Let this process take at most MEMORY more; beyond that torch raises. Only Linux counts in this way."""
    if sys.platform != "linux":
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    in_use = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    ceiling = in_use + MEMORY
    if soft != resource.RLIM_INFINITY:
        ceiling = min(ceiling, soft)
    resource.setrlimit(resource.RLIMIT_DATA, (ceiling, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
