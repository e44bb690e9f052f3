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
    pace = Pace()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(noun, total=None, rate="")

        def tell(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, rate=f"{pace(done, time.monotonic()):.1f} a second")

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
        self._said = clock()
        self._pace = Pace()

    def __call__(self, done: int, total: int) -> None:
        now = self._clock()
        rate = self._pace(done, now)
        if now - self._said < _EVERY or done == total:
            return
        self._said = now
        left = f"{rate:.1f} a second, about {(total - done) / rate:.0f} s left" if rate else "just begun"
        self._say(f"{done} of {total} {self._noun}, {left}")


class Pace:
    """How many end in a second, since the first one ended: before that, processes were being started."""

    def __init__(self) -> None:
        self._first: tuple[int, float] | None = None

    def __call__(self, done: int, now: float) -> float:
        """The rate so far, 0 if nothing can be said yet."""
        self._first = self._first or (done, now)
        count, since = self._first
        return (done - count) / (now - since) if now > since else 0.0
