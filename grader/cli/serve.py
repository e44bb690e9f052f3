"""`anatomy serve`: the course's pages live in the browser, graded as you save."""

from __future__ import annotations

import os
import signal
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from grader.cli.graded import recorded
from grader.cli.output import at_terminal, wrapped
from grader.cli.weak import warn_if_weak
from grader.course.load import load_course
from grader.course.model import Course
from grader.errors import UserError
from grader.records.log import LogUnreadable, LogUnwritable
from grader.report import Report
from grader.review.learner import records_here
from grader.workspace import find_workspace

if TYPE_CHECKING:
    from grader.sandbox.proof import Protection
    from grader.site.serve.house import Hooks

UNWATCHED = "There is no workspace here, so nothing is graded: `anatomy start` makes one. Ctrl-C ends."


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="Listen there; 0 takes any that is free.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def serve(port: int | None, no_browser: bool) -> None:
    """Show the lessons in the browser, with pictures that move, quizzes, and a verdict each time you save.

    Only this machine can reach the pages, and only with the address that is printed. Ctrl-C ends it.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # at these sizes a second thread of torch's would only wait
    from grader.site.serve.guard import Guard
    from grader.site.serve.server import PORT, bound

    course = load_course()
    folder = _modules_folder(course)
    with bound(port) as listening, _ending_once() as leaving:
        guard = Guard(taken := listening.getsockname()[1])
        if port is None and taken != PORT:
            click.echo(f"Port {PORT} is in use by another program; {taken} is taken instead.", err=True)
        # From here on a browser may come: it waits the moment that the rest takes to be there.
        click.echo(f"The course is at {guard.address}")
        told = f"Watching {folder}: what you save is graded. Ctrl-C ends." if folder else UNWATCHED
        click.echo(wrapped(told), err=True)
        if not no_browser and _has_browser():
            threading.Thread(target=_show, args=(guard.address_for_once(),), daemon=True).start()
        from grader.site.serve.house import House
        from grader.site.serve.modules import Modules

        house = House(course, Modules(folder, course) if folder else None, listening, guard, _hooks(course, folder))
        leaving.append(house.leave)
        house.run()
    click.echo("Stopped.", err=True)


def _modules_folder(course: Course) -> Path | None:
    try:
        return find_workspace(Path.cwd(), course).student_dir
    except UserError:
        return None


def _hooks(course: Course, folder: Path | None) -> Hooks:
    from grader.cli.grade import LAB, reader_of_the_lab_report
    from grader.site.serve.house import Hooks

    records = records_here()
    warned = threading.Event()

    def accept(protection: Protection) -> None:
        if not warned.is_set():  # the desk and the bench both ask
            warned.set()
            warn_if_weak(protection)

    def record(report: Report) -> Sequence[str]:
        try:
            return recorded(course, report, records)
        except (LogUnwritable, LogUnreadable) as error:  # the verdict stands all the same
            complain(f"Note: {error}")
            return [str(error)]

    def complete(report: Report) -> Report:
        lab = [course.exercise(result.id) for result in report.exercises if result.lesson == LAB]
        return reader_of_the_lab_report(folder, lab)(report) if lab and folder else report

    def complain(line: str) -> None:
        with suppress(OSError):  # a terminal that is gone must not end what the pages still show
            click.echo(line, err=True)

    return Hooks(records, record, complete, accept, complain)


@contextmanager
def _ending_once() -> Iterator[list[Callable[[], None]]]:
    """Let Ctrl-C, a closed terminal and `kill` end what is done inside, all in the same way and in its own time.

    Yields the list of what is to be told besides: code on the way may take the exception for its own.
    """
    told: list[Callable[[], None]] = []
    asked = False

    def end(_: int, __: FrameType | None) -> None:
        nonlocal asked
        if not asked:
            asked = True
            for each in told:
                each()
            raise KeyboardInterrupt

    names = {signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}
    before = {name: signal.signal(name, end) for name in names}
    try:
        with suppress(KeyboardInterrupt):
            yield told
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def _has_browser() -> bool:
    """Whether a person sits at a desktop; elsewhere a browser would open in the terminal, or not at all."""
    if not at_terminal(sys.stdout):
        return False
    if sys.platform == "darwin":
        return "SSH_CONNECTION" not in os.environ
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _show(address: str) -> None:
    with suppress(webbrowser.Error, OSError):  # the address stands in the terminal
        webbrowser.open(address)
