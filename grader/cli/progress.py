"""How far a run has come: a bar with rate and time left on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

Tell = Callable[[int, int], None]
"""Is told how many of how many are done."""

_EVERY = 5.0
"""Seconds between two plain lines."""


@contextmanager
def progress(noun: str) -> Iterator[Tell]:
    """Show progress on stderr, so that what is printed as a result stays clean. noun: what is counted."""
    if not sys.stderr.isatty():
        yield Lines(noun)
        return
    from rich.console import Console  # slow to import, and of no use in a pipe
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeRemainingColumn(compact=True),
        TextColumn("left", markup=False),
    )
    started = time.monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(noun, total=None, rate="")

        def tell(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, rate=_rate(done, time.monotonic() - started))

        yield tell


class Lines:
    """A plain line every few seconds: how many are done, how fast, and how long the rest takes at that rate."""

    def __init__(
        self,
        noun: str,
        say: Callable[[str], None] = lambda line: click.echo(line, err=True),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._noun = noun
        self._say = say
        self._clock = clock
        self._started = self._said = clock()

    def __call__(self, done: int, total: int) -> None:
        now = self._clock()
        if now - self._said < _EVERY or done == total:
            return
        self._said = now
        seconds = now - self._started
        left = seconds / done * (total - done) if done else 0
        self._say(f"{done} of {total} {self._noun}, {_rate(done, seconds)}, about {left:.0f} s left")


def _rate(done: int, seconds: float) -> str:
    return f"{done / seconds:.1f} a second" if seconds > 0 else ""
