"""A reference function lent to a learner's code while an exercise that rests on a wrong one is judged.

The arguments come from code that is not trusted and are worked on in the grader's process, so their size and the total
time are bounded. A failure goes back to that code as an ordinary exception; it is never the grader's.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from grader.judge.values import leaves, tensors

LARGEST_TENSOR = 2**15
"""Elements; the largest input of any suite is about a third of it."""
LARGEST_PRODUCT = 2**24
"""Product of all whole numbers among the arguments: they are sizes of what is made (a mask, a table)."""
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
    numbers = [abs(leaf) for _, leaf in leaves(arguments) if type(leaf) is int]
    if math.prod(max(1, n) for n in numbers) > LARGEST_PRODUCT:
        raise RuntimeError("these sizes are larger than any input of this course")
