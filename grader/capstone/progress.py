"""How a training run shows where it is: a bar on a terminal, plain lines in a pipe."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

_LINES = 20
_SMOOTH = 0.95


class Show(Protocol):
    """Called after each step with the number of steps done and the loss in nats."""

    def __call__(self, done: int, loss: float) -> None: ...


class _Smoothed:
    """A running mean of the loss, so that one odd batch is not taken for news."""

    def __init__(self) -> None:
        self._sum, self._weight = 0.0, 0.0

    def add(self, loss: float) -> float:
        self._sum = _SMOOTH * self._sum + loss
        self._weight = _SMOOTH * self._weight + 1.0
        return self._sum / self._weight


@contextmanager
def progress(first: int, total: int) -> Iterator[Show]:
    """Show steps `first` to `total` while the block runs."""
    console = Console()
    smoothed = _Smoothed()
    if not console.is_terminal:
        yield _plain(first, total, smoothed)
        return
    with Progress(
        TextColumn("training"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=console,
    ) as bar:
        task = bar.add_task("training", total=total, completed=first, loss="-")

        def show(done: int, loss: float) -> None:
            bar.update(task, completed=done, loss=f"{smoothed.add(loss):.3f}")

        yield show


def _plain(first: int, total: int, smoothed: _Smoothed) -> Show:
    """A line after the first step and after every twentieth part of the run."""
    every = max(1, total // _LINES)
    began = time.monotonic()

    def show(done: int, loss: float) -> None:
        mean = smoothed.add(loss)
        if done == first + 1 or done % every == 0 or done == total:
            seconds = round((time.monotonic() - began) / (done - first) * (total - done))
            click.echo(f"step {done:>{len(str(total))}} of {total}  loss {mean:.3f}  {_clock(seconds)} left")

    return show


def _clock(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"
