"""The cyclic garbage collector, put off while a log is taken in."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_put_off() -> Iterator[None]:
    """Nothing is collected inside; also a decorator.

    A log becomes hundreds of thousands of objects without one cycle among them. The collector would go through all of
    them again and again as they are made, which takes as long as parsing them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
