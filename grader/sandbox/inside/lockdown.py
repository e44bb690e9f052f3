"""The one room where a worker gives up what it does not need, before it has a line of the learner's code."""

from __future__ import annotations

import ctypes
import math
import os
import resource
import signal
import sys
from pathlib import Path

from .limits import Limits

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_STACK = 8 << 20
_MAPPED_MARGIN = 512 << 20
"""Address space beyond the budget: libraries loaded late, thread stacks and arenas are mapped but hardly used."""
_LIFE = 60
"""Processor time of a whole life, in calls that use up their time."""


def lock_down(limits: Limits) -> tuple[str, ...]:
    """Apply every layer this platform has and return the names of those that are on.

    Runs once in a fresh worker, after its descriptors are in place. A layer that the platform should have but that
    fails raises OSError: the worker then ends before it has seen any of the learner's code.
    """
    os.setsid()
    layers = ["rlimits"]
    _set_limits(limits)
    if sys.platform == "linux":
        _limit_memory(limits)
        layers.append("memory-limit")
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
        layers.append("no-new-privileges")
    return tuple(layers)


def die_with_parent(parent: int) -> None:
    """Be killed when the parent process ends; exit at once if it has ended already. Does nothing where Linux is not."""
    if sys.platform == "linux":
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)


def _set_limits(limits: Limits) -> None:
    seconds = math.ceil(limits.seconds * _LIFE)
    _lower(resource.RLIMIT_CPU, seconds, seconds + 1)
    _lower(resource.RLIMIT_FSIZE, limits.file_mb << 20)
    _lower(resource.RLIMIT_NOFILE, limits.open_files)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_STACK, _STACK)


def _limit_memory(limits: Limits) -> None:
    """Private memory counts against DATA; shared mappings escape it, and AS catches those."""
    mapped, data = _sizes()
    budget = limits.memory_mb << 20
    _lower(resource.RLIMIT_DATA, data + budget)
    _lower(resource.RLIMIT_AS, mapped + budget + _MAPPED_MARGIN)


def _sizes() -> tuple[int, int]:
    """Bytes of address space and of private data of this process."""
    fields = Path("/proc/self/statm").read_text().split()
    page = resource.getpagesize()
    return int(fields[0]) * page, int(fields[5]) * page


def _lower(which: int, soft: int, hard: int | None = None) -> None:
    """Set a limit, never above the one that is there."""
    wanted = (soft, soft if hard is None else hard)
    there = resource.getrlimit(which)[1]
    if there != resource.RLIM_INFINITY:
        wanted = (min(wanted[0], there), min(wanted[1], there))
    resource.setrlimit(which, wanted)


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(ctypes.c_int(option), *(ctypes.c_ulong(each) for each in (value, 0, 0, 0))) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), f"prctl {option}")
