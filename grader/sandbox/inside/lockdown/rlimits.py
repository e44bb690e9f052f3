"""Resource limits: processor time, files, memory. Private memory counts against DATA; shared mappings escape that
one, and AS catches them."""

from __future__ import annotations

import math
import os
import resource
from contextlib import suppress

from ..limits import Limits

_STACK = 8 << 20
_MAPPED_MARGIN = 512 << 20
"""Address space beyond the budget: libraries loaded late, thread stacks and arenas are mapped but hardly used."""
_LIFE = 60
"""Processor time of a whole life, in calls that use up their time."""


def life_seconds(limits: Limits) -> int:
    """Processor time after which the kernel ends a worker."""
    return math.ceil(limits.seconds * _LIFE)


def limit_resources(limits: Limits) -> None:
    """Bound processor time, file sizes, descriptors, the stack; no core dumps."""
    seconds = life_seconds(limits)
    _lower(resource.RLIMIT_CPU, seconds, seconds + 1)
    _lower(resource.RLIMIT_FSIZE, limits.file_mb << 20)
    _lower(resource.RLIMIT_NOFILE, limits.open_files)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_STACK, _STACK)


def limit_memory(limits: Limits, proc: int) -> None:
    """Bound memory beyond what the zygote uses, and be the first to go when the machine runs out of it.

    proc: a descriptor of /proc. Raises OSError.
    """
    mapped, data = _sizes(proc)
    budget = limits.memory_mb << 20
    _lower(resource.RLIMIT_DATA, data + budget)
    _lower(resource.RLIMIT_AS, mapped + budget + _MAPPED_MARGIN)
    with suppress(OSError):  # a courtesy to the other processes of the machine, no wall
        _write(proc, "self/oom_score_adj", b"1000")


def limit_threads(most: int) -> None:
    """Bound threads and processes. Only in a user namespace of one's own: elsewhere all of an account's count."""
    _lower(resource.RLIMIT_NPROC, most)


def _sizes(proc: int) -> tuple[int, int]:
    """Bytes of address space and of private data of this process."""
    descriptor = os.open("self/statm", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
    try:
        fields = os.read(descriptor, 256).split()
    finally:
        os.close(descriptor)
    page = resource.getpagesize()
    return int(fields[0]) * page, int(fields[5]) * page


def _write(proc: int, name: str, text: bytes) -> None:
    descriptor = os.open(name, os.O_WRONLY | os.O_CLOEXEC, dir_fd=proc)
    try:
        os.write(descriptor, text)
    finally:
        os.close(descriptor)


def _lower(which: int, soft: int, hard: int | None = None) -> None:
    """Set a limit, never above the one that is there."""
    wanted = (soft, soft if hard is None else hard)
    there = resource.getrlimit(which)[1]
    if there != resource.RLIM_INFINITY:
        wanted = (min(wanted[0], there), min(wanted[1], there))
    resource.setrlimit(which, wanted)
