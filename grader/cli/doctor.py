"""`anatomy doctor`: what is there, what protects, and what that means."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

import grader
from grader.cli.output import format_option, print_json
from grader.course.load import load_course
from grader.errors import UserError
from grader.workspace import find_workspace

if TYPE_CHECKING:
    from grader.sandbox.proof import Protection

MEANING = {
    "process-split": "submitted code runs apart from tests and answers",
    "deadlines": "what takes too long or prints too much is ended",
    "clean-environment": "none of your environment variables are there",
    "rlimits": "processor time, open files and their sizes are limited",
    "memory-limit": "what a call allocates is limited",
    "no-new-privileges": "no rights are gained through set-uid programs",
    "no-capabilities": "none of root's special rights are held",
    "namespaces": "no file but torch's and Python's, no network and no other process is there; own scratch, bounded",
    "own-identity": "root's account is left for one that nobody uses",
    "cgroup": "memory and processes of each worker are bounded as a whole",
    "landlock": "no file but torch's and Python's can be opened",
    "seccomp": "no processes, programs, sockets, mounts or tracing: such system calls are refused",
}
"""Layers, as they stand in reports, in words."""
_SMALL = (
    "process-split",
    "deadlines",
    "clean-environment",
    "rlimits",
    "memory-limit",
    "no-capabilities",
    "no-new-privileges",
)
"""Layers that need no line of their own."""
_LARGE = ("namespaces", "landlock", "seccomp", "own-identity", "cgroup")
_NOT_NEEDED = ("own-identity", "cgroup")
"""Layers whose absence takes nothing away from the level."""


@dataclass(frozen=True)
class Line:
    """One thing that was looked at. state: ok, off (works without it, with less protection) or BAD (cannot work)."""

    state: str
    name: str
    says: str


@click.command()
@format_option
def doctor(format_: str) -> None:
    """Say what this installation has, and what protects you from the code it grades.

    The protection is tried out: a probe really attempts what submitted code must not do. Exit code 3 if grading cannot
    work here.
    """
    lines = list(_installation())
    protection, trouble = _prove()
    lines += trouble if protection is None else _protection(protection)
    if format_ == "json":
        proof = asdict(protection) if protection else None
        print_json({"version": 1, "lines": [asdict(line) for line in lines], "protection": proof})
    else:
        for line in lines:
            click.echo(f"{line.state:<4} {line.name:<12} {line.says}")
    click.get_current_context().exit(3 if any(line.state == "BAD" for line in lines) else 0)


def _installation() -> Iterator[Line]:
    machine = platform.platform(terse=True)
    yield Line("ok", "anatomy", f"{grader.__version__}, Python {platform.python_version()}, {machine}")
    try:
        course = load_course()
        places = f"{len(course.lessons)} lessons, {len(course.exercises)} exercises in {course.folder}"
        yield Line("ok", "course", f"{places}; workspace {find_workspace(Path.cwd(), course).student_dir}")
    except UserError as error:
        yield Line("BAD", "course", str(error))
    from grader.records.log import log_home

    try:
        yield Line("ok", "records", str(log_home()))
    except UserError as error:
        yield Line("BAD", "records", str(error))


def _prove() -> tuple[Protection | None, list[Line]]:
    try:
        import torch  # noqa: F401
    except ImportError as error:
        return None, [Line("BAD", "torch", f"cannot be imported by {sys.executable}: {error}")]
    from grader.sandbox import Zygote
    from grader.sandbox.proof import prove

    try:
        with Zygote() as zygote:
            return prove(zygote), []
    except Exception as error:  # whatever stops a worker here is what the person needs to read
        return None, [Line("BAD", "sandbox", f"no worker could be started: {error}")]


def _protection(protection: Protection) -> Iterator[Line]:
    from grader.sandbox.level import MEANING as LEVELS

    level = protection.level
    yield Line("off" if level == "weak" else "ok", "protection", f"{level}: {LEVELS[level]}")
    small = [name for name in _SMALL if name in protection.layers]
    yield Line("ok", "always on", "; ".join(MEANING[name] for name in small[:3]) + f"; also {', '.join(small[3:])}")
    for name in _LARGE:
        if name in protection.layers:
            version = f" (version {protection.landlock})" if name == "landlock" else ""
            yield Line("ok", name, MEANING[name] + version)
    for name in _LARGE:
        if name not in protection.layers and name not in _NOT_NEEDED:
            yield Line("off", name, f"{protection.off.get(name, 'not there')}; without it: {_WITHOUT[name]}")
    held = len(protection.findings) - len(protection.broken)
    tried = f"{held} of {len(protection.findings)} things that submitted code must not do were tried and were refused"
    yield Line("off" if protection.broken else "ok", "proof", tried)
    for finding in protection.broken:
        yield Line("off", "proof", f"could be done: {finding.name}")


_WITHOUT = {
    "namespaces": "which files exist, and how large, can be found out",
    "landlock": "one wall less before your files",
    "seccomp": "submitted code can start processes, and has the whole kernel to try its luck on",
}
