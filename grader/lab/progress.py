"""How far an experiment has come and how long it still takes: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from grader.lab.experiment import Progress

_EVERY = 5.0  # seconds between two plain lines


@contextmanager
def shown() -> Iterator[Progress]:
    """A progress that is shown on stderr, so that what is printed as a result stays clean."""
    if not sys.stderr.isatty():
        yield Lines()
        return
    from rich import progress as rich
    from rich.console import Console

    columns = (
        rich.BarColumn(bar_width=24),
        rich.TaskProgressColumn(),
        rich.TimeRemainingColumn(compact=True),
        rich.TextColumn("left  {task.description}", markup=False),
    )
    with rich.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Bar(bar)


class Lines:
    """Plain lines: what runs now, how much is done, and about how long the rest takes. One every few seconds."""

    def __init__(self, say: Callable[[str], None] | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._say = say or (lambda line: click.echo(line, err=True))
        self._clock = clock
        self._total, self._done = 1.0, 0.0
        self._words = ""
        self._began = self._said = clock()

    def begin(self, total: float) -> None:
        """Start to count."""
        self._total, self._done = total, 0.0
        self._began = self._said = self._clock()

    def stage(self, words: str) -> None:
        """Name what runs; the next line says it."""
        self._words = words
        if not self._done:
            self._say(f"  0 %  {words}")

    def advance(self, units: float) -> None:
        """Count on, and print a line if the last one is a while ago or this is the end."""
        self._done += units
        moment = self._clock()
        if self._done < self._total and moment - self._said < _EVERY:
            return
        self._said = moment
        left = (moment - self._began) / self._done * (self._total - self._done)
        self._say(f"{100 * self._done / self._total:3.0f} %  about {minutes(left)} left  {self._words}")


class _Bar:
    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None)

    def begin(self, total: float) -> None:
        self._bar.update(self._task, total=total)

    def stage(self, words: str) -> None:
        self._bar.update(self._task, description=words)

    def advance(self, units: float) -> None:
        self._bar.advance(self._task, units)


def minutes(seconds: float) -> str:
    """A time as minutes and seconds, `1:05`."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d}"
