"""The order of all steps: the zygote's, once, and each worker's, before it has a line of the learner's code.

A step that was found possible and fails in a worker raises: the worker ends, and it is the machine's fault.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..limits import Limits
from ..setup import Setup
from . import cgroup, identity, landlock, namespaces, privileges, rlimits, seccomp
from .exposure import DEVICES, Tree, is_within
from .names import (
    CAPABILITIES,
    CGROUP,
    LANDLOCK,
    MEMORY_LIMIT,
    NAMESPACES,
    NO_NEW_PRIVILEGES,
    OWN_IDENTITY,
    RLIMITS,
    SECCOMP,
)  # fmt: skip
from .root import CELL, SCRATCH, mount_scratch
from .survey import Survey, open_proc

_KEPT = 16
"""Descriptors from here on are the plan's; lower ones a worker may have to put others in place of."""
_FIRST_NOT_NEEDED = 4
"""A worker keeps its standard streams and its channel."""
_BEYOND = 1 << 16
_THREADS = 64
_MOMENT = 0.0005
_COUNTED_APART = (5, 14)
"""Since this kernel, processes are counted by user namespace, no more with all others of the account."""


@dataclass(frozen=True)
class Plan:
    """What each worker of a zygote applies. proc, apart, ruleset, group: descriptors of /proc, the zygote's pid
    namespace, the Landlock rules for all workers, the control group. identity: the account that a worker becomes by
    itself, where the zygote could not; apart_from_siblings: Landlock rules that a worker completes with its own folder,
    where others' folders can be seen."""

    layers: tuple[str, ...]
    proc: int = -1
    apart: int | None = None
    identity: int | None = None
    apart_from_siblings: landlock.Rules | None = None
    ruleset: int | None = None
    filter: seccomp.Filter | None = None
    group: int | None = None
    counts_threads: bool = False

    @property
    def descriptors(self) -> list[int]:
        """Those that a new worker needs until it is locked down."""
        return [each for each in (self.proc, self.apart, self.ruleset, self.group) if each is not None and each >= 0]


def shelter(setup: Setup, found: Survey, trees: Sequence[Tree]) -> Plan:
    """The zygote's steps. With namespaces it is another process that returns: number 1 of a pid namespace."""
    if sys.platform != "linux":
        return Plan((RLIMITS,))
    layers = [RLIMITS, MEMORY_LIMIT, CAPABILITIES, NO_NEW_PRIVILEGES]
    proc, apart, ruleset, group, own_identity = _keep(open_proc()), None, None, None, found.identity
    rules = _rules(found, trees) if found.landlock else None
    siblings = _rules_against_siblings(found, trees, setup.home) if rules and not found.namespaces else None
    built = seccomp.build() if found.seccomp else None
    if setup.group is not None and CGROUP not in found.off:
        group = _keep(cgroup.enter_as_zygote(Path(setup.group), found.identity if found.namespaces else None))
        layers.append(CGROUP)
    if found.namespaces:
        namespaces.enter_as_zygote(proc, setup.home, trees, found.identity)
        _become_first_of_a_pid_namespace(proc)
        apart, own_identity = _keep(namespaces.own_pid_namespace(proc)), None
        layers.append(NAMESPACES)
    if found.identity is not None:
        layers.append(OWN_IDENTITY)
    if rules is not None:
        layers.append(LANDLOCK)
        ruleset = _keep(rules.ruleset([CELL if found.namespaces else setup.home]))
    if built is not None:
        layers.append(SECCOMP)
    counts = apart is not None and _kernel() >= _COUNTED_APART
    return Plan(tuple(layers), proc, apart, own_identity, siblings, ruleset, built, group, counts)


def lock_down(plan: Plan, limits: Limits, scratch: str, name: str, zygote: int) -> tuple[tuple[str, ...], str]:
    """A worker's steps: the layers that are on now, and the folder that it may write to.

    scratch: the folder that it was given, for want of a file system of its own; name: its own, among the zygote's
    workers.
    """
    os.setsid()
    on = [RLIMITS]
    if plan.group is not None:
        cgroup.enter_as_worker(plan.group, name, limits.memory_mb)
        on.append(CGROUP)
    if plan.apart is not None:
        namespaces.enter_as_worker(plan.proc)
        mount_scratch(limits.scratch_mb, limits.scratch_files)
        scratch = SCRATCH
        on.append(NAMESPACES)
        if OWN_IDENTITY in plan.layers:
            on.append(OWN_IDENTITY)
    rlimits.limit_resources(limits)
    if sys.platform != "linux":
        return tuple(on), scratch
    rlimits.limit_memory(limits, plan.proc)
    if plan.counts_threads:
        rlimits.limit_threads(_THREADS)
    on.append(MEMORY_LIMIT)
    if plan.identity is not None:
        os.chown(scratch, plan.identity, plan.identity)
        identity.become(plan.identity)
        on.append(OWN_IDENTITY)
    privileges.drop_capabilities()
    on.append(CAPABILITIES)
    privileges.forbid_new_privileges()
    on.append(NO_NEW_PRIVILEGES)
    if plan.ruleset is not None:
        landlock.restrict(plan.ruleset)
        if plan.apart_from_siblings is not None:
            landlock.restrict(plan.apart_from_siblings.ruleset([scratch]))
        on.append(LANDLOCK)
    privileges.die_with_parent(zygote)
    privileges.set_dumpable(False)
    os.closerange(_FIRST_NOT_NEEDED, _BEYOND)
    if plan.filter is not None:
        plan.filter.install(os.getpid())
        on.append(SECCOMP)
    return tuple(on), scratch


def _rules(found: Survey, trees: Sequence[Tree]) -> landlock.Rules:
    """With namespaces, what can be seen at all may be listed; without, no folder that holds more than may be read."""
    readable = tuple(path for tree in trees for path in tree.openings())
    return landlock.Rules(found.landlock, readable, ("/",) if found.namespaces else (), DEVICES)


def _rules_against_siblings(found: Survey, trees: Sequence[Tree], home: str) -> landlock.Rules:
    """A second set, in force together with the first: everything that may be read, by the largest folders that do not
    hold the workers' own. Few, since each worker makes them anew."""
    largest = {_largest_without(home, tree.path) for tree in trees}
    return landlock.Rules(found.landlock, tuple(sorted(largest)), devices=DEVICES)


def _largest_without(home: str, path: str) -> str:
    """The outermost folder of a path that does not hold `home`."""
    around = [str(folder) for folder in reversed(Path(path).parents)]
    return next((folder for folder in around if not is_within(home, folder)), path)


def _become_first_of_a_pid_namespace(proc: int) -> None:
    """Go on as a child of the guardian: this process ends, and the guardian takes its children over."""
    guardian, here = os.getppid(), os.getpid()
    namespaces.put_children_apart()
    if os.fork():
        os._exit(0)
    # Tied to the parent of this moment, it would die with that one.
    while _parent(proc) == here:
        time.sleep(_MOMENT)
    privileges.die_with_parent(0)
    if _parent(proc) != guardian:
        os._exit(0)


def _parent(proc: int) -> int:
    """The parent's number as seen from outside: inside the namespace all outsiders are number 0."""
    descriptor = os.open("self/stat", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
    try:
        return int(os.read(descriptor, 512).rpartition(b")")[2].split()[1])
    finally:
        os.close(descriptor)


def _keep(descriptor: int) -> int:
    kept = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _KEPT)
    os.close(descriptor)
    return kept


def _kernel() -> tuple[int, ...]:
    return tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2] if part.isdigit())
