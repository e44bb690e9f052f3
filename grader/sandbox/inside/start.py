"""The first steps of the process that becomes the zygote, before it imports torch."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from .home import leave_home
from .lockdown import cgroup, system
from .lockdown.privileges import die_with_parent
from .lockdown.survey import Survey, survey
from .setup import Setup

_BEYOND = 1 << 16


def start(settings: str) -> NoReturn:
    """Become the zygote. settings: a Setup as JSON."""
    setup = Setup.from_json(settings)
    library = [folder for folder in sys.path if folder]
    sys.path[:] = [*library, *setup.packages]
    found = Survey() if sys.platform != "linux" else _survey(setup)
    try:
        from .zygote import main  # imports torch

        main(setup, found, library)
    finally:  # it could not start, and perhaps nobody is left who would remove it
        if not found.namespaces:
            leave_home(setup.home)


def _survey(setup: Setup) -> Survey:
    if setup.parent:
        die_with_parent(setup.parent)
    found = survey(setup)
    if found.namespaces:
        _leave_a_guardian(setup)
    return found


def _leave_a_guardian(setup: Setup) -> None:
    """Go on as a child. The parent, small and idle, stays: a zygote in a pid namespace of its own is the child of
    somebody outside, whose end is its own and who ends with it. It sees the folder of theirs, and removes it."""
    guardian = os.getpid()
    system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
    if os.fork():
        _guard(setup)
    die_with_parent(guardian)


def _guard(setup: Setup) -> NoReturn:
    def end(*_: object) -> NoReturn:
        with suppress(OSError):  # the grader was first
            Path(setup.home).rmdir()  # from here it was never more than a place to mount on
        if setup.group is not None:
            cgroup.remove(Path(setup.group))
        os._exit(0)  # which kills whoever is left below

    signal.signal(signal.SIGTERM, end)
    if setup.parent:  # until now its death was SIGKILL, which leaves the folder
        system.prctl(system.PR_SET_PDEATHSIG, signal.SIGTERM)
    os.closerange(3, _BEYOND)
    while True:
        try:
            os.wait()
        except ChildProcessError:
            end()
