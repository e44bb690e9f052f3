"""`anatomy doctor`: what is there, what protects, and what that means."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import click

import grader
from grader.course.load import load_course
from grader.errors import UserError
from grader.workspace import find_workspace

MEANING = {
    "process-split": "submitted code runs in a process that holds no tests and no answers",
    "deadlines": "a call that takes too long or prints too much is ended",
    "rlimits": "memory, processor time, files and their sizes are limited by the kernel",
    "clean-environment": "submitted code sees none of your environment variables",
    "memory-limit": "what a call allocates is limited",
    "no-new-privileges": "submitted code cannot gain rights through set-uid programs",
}
MISSING = (
    "Files are not closed off yet: submitted code can read what your account can read, the hidden suites included. "
    "Grade only code by people you trust."
)


@click.command()
def doctor() -> None:
    """Say what this installation has, and what protects you from the code it grades.

    Exit code 3 if grading cannot work here.
    """
    failed = False
    for name, ok, says in _findings():
        failed |= not ok
        click.echo(f"{'ok ' if ok else 'BAD'}  {name:<12} {says}")
    click.get_current_context().exit(3 if failed else 0)


def _findings() -> Iterator[tuple[str, bool, str]]:
    yield "anatomy", True, f"{grader.__version__}, Python {platform.python_version()}, {platform.platform(terse=True)}"
    try:
        course = load_course()
        yield "course", True, f"{len(course.lessons)} lessons, {len(course.exercises)} exercises in {course.folder}"
        yield "workspace", True, str(find_workspace(Path.cwd(), course).student_dir)
    except UserError as error:
        yield "course", False, str(error)
    yield _records()
    yield from _sandbox()


def _records() -> tuple[str, bool, str]:
    from grader.records.log import log_home

    try:
        return "records", True, str(log_home())
    except UserError as error:
        return "records", False, str(error)


def _sandbox() -> Iterator[tuple[str, bool, str]]:
    try:
        import torch
    except ImportError as error:
        yield "torch", False, f"cannot be imported by {sys.executable}: {error}"
        return
    yield "torch", True, torch.__version__
    from grader.sandbox import Zygote

    try:
        with Zygote() as zygote, zygote.worker() as worker:
            layers = worker.layers
    except Exception as error:  # whatever stops a worker here is what the person needs to read
        yield "sandbox", False, f"no worker could be started: {error}"
        return
    for layer in layers:
        yield "protection", True, f"{layer}: {MEANING.get(layer, 'on')}"
    yield "off", True, MISSING
