"""The first steps of the process that becomes the zygote, before it imports torch."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from .lockdown import system
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
    from .zygote import main  # imports torch

    main(setup, found, library)


def _survey(setup: Setup) -> Survey:
    if setup.parent:
        die_with_parent(setup.parent)
    found = survey(setup)
    if found.namespaces:
        _leave_a_guardian()
    return found


def _leave_a_guardian() -> None:
    """Go on as a child. The parent, small and idle, stays: a zygote in a pid namespace of its own is the child of
    somebody outside, whose end is its own and who ends with it."""
    guardian = os.getpid()
    system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
    if os.fork():
        os.closerange(3, _BEYOND)
        while True:
            try:
                os.wait()
            except ChildProcessError:
                os._exit(0)
    die_with_parent(guardian)
