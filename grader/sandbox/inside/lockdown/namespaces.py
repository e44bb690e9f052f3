"""Namespaces: the zygote sees no network, no processes but its own and a root of read-only folders; each worker sees
even its siblings no more, and has a folder of its own in memory."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence

from . import system
from .exposure import DEVICES, Tree
from .identity import become
from .root import enter_root

_MOUNT = 0x20000
_CGROUP = 0x2000000
_UTS = 0x4000000
_IPC = 0x8000000
_USER = 0x10000000
_PID = 0x20000000
_NET = 0x40000000
_ZYGOTE = _MOUNT | _CGROUP | _UTS | _IPC | _NET
_WORKER = _USER | _MOUNT | _CGROUP | _UTS | _IPC
"""A worker shares the zygote's network, which has no interface that is up: one of its own costs 1.4 ms and brings
nothing."""
_HOST_NAME = "worker"


def enter_as_zygote(proc: int, home: str, trees: Sequence[Tree], identity: int | None) -> None:
    """Leave the machine's namespaces. Raises OSError, with part of it done.

    Single-threaded callers only. proc: a descriptor of /proc; home: an empty folder of one's own, taken as a mount
    point; identity: for root, the account to become, once the mounts are made: it need not have access to the places
    where things lie outside.
    """
    account = (os.getuid(), os.getgid())
    system.unshare(_ZYGOTE if identity is not None else _ZYGOTE | _USER)
    if identity is None:
        _map_ids(proc, *account)
    socket.sethostname(_HOST_NAME)
    enter_root(home, trees, DEVICES)
    if identity is not None:
        become(identity)
        system.unshare(_USER | _MOUNT)
        _map_ids(proc, identity, identity)


def put_children_apart() -> None:
    """The next child is number 1 of a new pid namespace; when it ends, everything in there ends. Raises OSError."""
    system.unshare(_PID)


def own_pid_namespace(proc: int) -> int:
    """A descriptor of the pid namespace of this process."""
    return os.open("self/ns/pid", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)


def put_children_here(own: int) -> None:
    """Undo `put_children_apart`, without which there could be no second one. own: from `own_pid_namespace`."""
    system.enter_namespace(own, _PID)


def enter_as_worker(proc: int) -> None:
    """Leave the zygote's namespaces. Raises OSError."""
    account = (os.getuid(), os.getgid())
    system.unshare(_WORKER)
    _map_ids(proc, *account)


def _map_ids(proc: int, uid: int, gid: int) -> None:
    """In this process's new user namespace, be who one is outside."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        descriptor = os.open(f"self/{name}", os.O_WRONLY | os.O_CLOEXEC, dir_fd=proc)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)
