"""Which layers this machine can take. Nothing is believed that has not been tried: children try each step."""

from __future__ import annotations

import errno
import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ..setup import Setup
from . import landlock, namespaces, seccomp
from .exposure import Tree
from .identity import become, unused_id
from .names import CGROUP, LANDLOCK, NAMESPACES, OPTIONAL, OWN_IDENTITY, SECCOMP
from .privileges import forbid_new_privileges
from .root import mount_scratch

_SWITCHED_OFF = "switched off"
_SAID = 500


@dataclass(frozen=True)
class Survey:
    """landlock: the version to use, 0 for none; identity: the account to become, for root; off: why a layer is off."""

    namespaces: bool = False
    identity: int | None = None
    landlock: int = 0
    seccomp: bool = False
    off: dict[str, str] = field(default_factory=lambda: dict.fromkeys(OPTIONAL, "only Linux has it"))


def survey(setup: Setup) -> Survey:
    """Try the optional layers. Call it in a process with one thread, before it has grown large; Linux only."""
    off = dict.fromkeys(setup.without, _SWITCHED_OFF)
    identity = None
    if OWN_IDENTITY not in off:
        identity, off[OWN_IDENTITY] = _identity()
    apart = NAMESPACES not in off
    if apart:
        why = _attempt(lambda: _rehearse(setup, identity))
        if why and identity is not None:
            identity, off[OWN_IDENTITY] = None, why
            why = _attempt(lambda: _rehearse(setup, None))
        apart, off[NAMESPACES] = not why, why
    if not apart and identity is not None and (why := _attempt(partial(_read_as, identity, setup))):
        identity, off[OWN_IDENTITY] = None, why
    newest = 0
    if LANDLOCK not in off:
        newest, off[LANDLOCK] = _landlock(setup)
    if SECCOMP not in off:
        off[SECCOMP] = _attempt(_filter)
    if CGROUP not in off and setup.group is None:
        off[CGROUP] = "no control group (v2) has been handed to this account"
    return Survey(apart, identity, newest, not off.get(SECCOMP), {layer: why for layer, why in off.items() if why})


def _identity() -> tuple[int | None, str]:
    if os.getuid() != 0:
        return None, "for root only"
    found = unused_id()
    return found, "" if found is not None else "there is no other account to change to"


def _landlock(setup: Setup) -> tuple[int, str]:
    newest = landlock.version()
    if setup.landlock_most is not None:
        newest = min(newest, setup.landlock_most)
    if newest == 0:
        return 0, "this kernel does not have it, or has it switched off"

    def restrict() -> None:
        forbid_new_privileges()
        landlock.restrict(landlock.Rules(newest, (os.__file__,)).ruleset([setup.home]))
        _expect_refusal(lambda: os.close(os.open(sys.executable, os.O_RDONLY)), errno.EACCES)

    why = _attempt(restrict)
    return (0, why) if why else (newest, "")


def _filter() -> None:
    built = seccomp.build()
    forbid_new_privileges()
    built.install(os.getpid())
    _expect_refusal(lambda: socket.socket().close(), errno.EPERM)
    _expect_refusal(os.fork, errno.EPERM)


def _rehearse(setup: Setup, identity: int | None) -> None:
    """All that the zygote and a worker will do, with little to read."""
    proc = open_proc()
    samples = _samples(setup)
    namespaces.enter_as_zygote(proc, setup.home, [Tree(path) for path in sorted(samples)], identity)
    _read(samples)
    namespaces.put_children_apart()
    _in_child(lambda: _rehearse_worker(proc))


def _rehearse_worker(proc: int) -> None:
    own = namespaces.own_pid_namespace(proc)
    namespaces.put_children_apart()

    def worker() -> None:
        namespaces.enter_as_worker(proc)
        mount_scratch(1, 16)

    _in_child(worker)
    namespaces.put_children_here(own)
    _in_child(lambda: None)


def _read_as(identity: int, setup: Setup) -> None:
    become(identity)
    _read(_samples(setup))


def _samples(setup: Setup) -> list[str]:
    """Files that a worker must be able to read."""
    folders = [Path(folder) for folder in setup.packages]
    return [os.__file__, *(str(torch) for folder in folders if (torch := folder / "torch" / "__init__.py").is_file())]


def _read(paths: list[str]) -> None:
    for path in paths:
        os.close(os.open(path, os.O_RDONLY))


def _expect_refusal(step: Callable[[], object], code: int) -> None:
    try:
        step()
    except OSError as error:
        if error.errno == code:
            return
        raise
    raise RuntimeError("it is switched on and refuses nothing")


def _in_child(step: Callable[[], None]) -> None:
    """Raises RuntimeError with what went wrong."""
    if why := _attempt(step):
        raise RuntimeError(why)


def _attempt(step: Callable[[], None]) -> str:
    """Do something in a child process; what went wrong, or nothing."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            step()
            os._exit(0)
        except BaseException as error:
            os.write(writing, str(error).encode(errors="replace")[:_SAID] or b"?")
        finally:
            os._exit(1)
    os.close(writing)
    said = os.read(reading, _SAID).decode(errors="replace")
    os.close(reading)
    _, status = os.waitpid(child, 0)
    return said or ("" if status == 0 else f"a child that tried it ended with status {status}")


def open_proc() -> int:
    """A descriptor of /proc, good for use when that is out of sight."""
    return os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
