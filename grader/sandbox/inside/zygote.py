"""The zygote: torch imported, one thread, nothing secret; it forks a worker whenever it is asked."""

from __future__ import annotations

import fcntl
import gc
import importlib
import importlib.util
import os
import select
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import torch

from . import worker
from .home import leave_home
from .lockdown import cgroup, namespaces
from .lockdown.exposure import Tree, readable_trees
from .lockdown.order import Plan, shelter
from .lockdown.packages import package_entries
from .lockdown.survey import Survey
from .modules import REFUSED, RefusedNames, install
from .protocol import END, FORK, READY, STATUS
from .setup import Announcement, Setup
from .status import BROKEN

_HIGH = 64
"""Descriptors are moved up to here before they are put in their places."""
_BEYOND = 1 << 16
"""No descriptor of this process is as high: there are a few for each living worker."""


def main(setup: Setup, found: Survey, library: Sequence[str]) -> NoReturn:
    """Prepare, say so, and serve until the grader goes away. library: the folders of the standard library."""
    sys.argv[:] = ["student"]
    torch.set_num_threads(1)
    for name in setup.preload:
        importlib.import_module(name)
    _warm_up()
    importlib.util.find_spec("anatomy_nowhere")  # looks into every folder once, which a worker may not
    install(RefusedNames())
    _assert_one_thread()
    trees = _trees(setup, library) if found.namespaces or found.landlock else []
    gc.collect()
    gc.disable()
    gc.freeze()
    sys.dont_write_bytecode = True
    plan = shelter(setup, found, trees)
    grader = socket.socket(fileno=setup.control)
    announcement = Announcement((*worker.LAYERS, *plan.layers), found.off, found.landlock)
    handles = _handles(os.getpid())
    socket.send_fds(grader, [READY, announcement.to_json().encode(), b"\n"], handles)
    for handle in handles:
        os.close(handle)
    _Zygote(grader, plan, None if found.namespaces else setup.home).serve()


def _trees(setup: Setup, library: Sequence[str]) -> list[Tree]:
    packages = package_entries(setup.packages, REFUSED)
    return readable_trees(library, packages, setup.secret)


def _warm_up() -> None:
    """Touch what every first call would otherwise set up anew in each worker."""
    square = torch.ones(16, 16, dtype=torch.float64, requires_grad=True)
    (square @ square).softmax(-1).exp().sum().backward()  # type: ignore[no-untyped-call]
    with torch.no_grad():
        half = torch.ones(4, 4, dtype=torch.bfloat16)
        row = torch.ones(1, 1, 4, 4)
        torch.nn.functional.scaled_dot_product_attention(row, row, row)
        (half @ half).float().logsumexp(-1)
        torch.randn(4).sort()


def _assert_one_thread() -> None:
    """A child of a process with more threads than one inherits their locks, and may hang for ever."""
    tasks = Path("/proc/self/task")
    if tasks.is_dir() and (count := len(list(tasks.iterdir()))) != 1:
        raise RuntimeError(f"the zygote has {count} threads; it can only fork with one")


@dataclass(frozen=True)
class _Child:
    pid: int
    status: socket.socket
    name: str


class _Zygote:
    """home: the folder to remove at the end, None where the guardian does that: with namespaces it is out of sight."""

    def __init__(self, grader: socket.socket, plan: Plan, home: str | None) -> None:
        self._grader = grader
        self._plan = plan
        self._home = home
        self._pid = os.getpid()
        self._made = 0
        self._children: dict[int, _Child] = {}
        self._by_status: dict[int, _Child] = {}
        self._poll = select.poll()
        self._poll.register(grader, select.POLLIN)
        self._ended, wake = os.pipe()
        os.set_blocking(self._ended, False)
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake)
        self._poll.register(self._ended, select.POLLIN)

    def serve(self) -> NoReturn:
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._ended:
                    with suppress(BlockingIOError):
                        os.read(self._ended, 4096)
                    self._reap()
                elif descriptor == self._grader.fileno():
                    self._take_request()
                elif child := self._by_status.get(descriptor):
                    self._poll.unregister(child.status)
                    _kill(child.pid)

    def _take_request(self) -> None:
        try:
            request, descriptors, _, _ = socket.recv_fds(self._grader, 1, 3)
        except ConnectionResetError:
            request, descriptors = b"", []
        if request != FORK or len(descriptors) != 3:
            self._end()
        channel, output, status = descriptors
        self._fork(channel, output, socket.socket(fileno=status))
        os.close(channel)
        os.close(output)

    def _end(self) -> NoReturn:
        for child in self._children.values():
            _kill(child.pid)
        if self._home is not None:
            for child in self._children.values():  # none may still be writing
                with suppress(ChildProcessError):
                    os.waitpid(child.pid, 0)
            leave_home(self._home)
        os._exit(0)

    def _fork(self, channel: int, output: int, status: socket.socket) -> None:
        self._made += 1
        name = f"worker-{self._made}"
        try:
            pid = self._fork_apart()
        except OSError as error:
            status.send(STATUS.pack(-(error.errno or 1)))
            status.close()
            return
        if pid == 0:
            _become_worker(self._pid, channel, output, self._plan, name)
        child = _Child(pid, status, name)
        self._children[pid] = self._by_status[status.fileno()] = child
        self._poll.register(status, select.POLLIN)
        handles = _handles(pid)
        with suppress(BrokenPipeError):
            socket.send_fds(status, [STATUS.pack(pid)], handles)
        for handle in handles:
            os.close(handle)

    def _fork_apart(self) -> int:
        """fork(2), with the child in a pid namespace of its own where there are such. Raises OSError."""
        if self._plan.apart is None:
            return os.fork()
        namespaces.put_children_apart()
        pid = 1
        try:
            pid = os.fork()
        finally:
            if pid:
                namespaces.put_children_here(self._plan.apart)
        return pid

    def _reap(self) -> None:
        while self._children:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            # What the worker forked, if anything, is in its group, whose number is not given to another while it lives.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            child = self._children.pop(pid, None)
            if child is None:
                continue
            del self._by_status[child.status.fileno()]
            with suppress(KeyError):
                self._poll.unregister(child.status)
            with suppress(BrokenPipeError, ConnectionResetError):
                child.status.send(END.pack(status, used.ru_utime + used.ru_stime))
            child.status.close()
            if self._plan.group is not None:
                cgroup.leave(self._plan.group, child.name)


def _handles(pid: int) -> list[int]:
    """A pidfd, if the system has such."""
    try:
        return [os.pidfd_open(pid)] if hasattr(os, "pidfd_open") else []
    except OSError:  # a kernel before 5.3, or a container that does not let it through
        return []


def _kill(pid: int) -> None:
    """Kill a child that has not been waited for, so that its number is still its own."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _become_worker(zygote: int, channel: int, output: int, plan: Plan, name: str) -> NoReturn:
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        channel, output = (fcntl.fcntl(each, fcntl.F_DUPFD, _HIGH) for each in (channel, output))
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.dup2(channel, worker.CHANNEL, inheritable=False)
        first = worker.CHANNEL + 1
        for kept in sorted(plan.descriptors):
            os.closerange(first, kept)
            first = kept + 1
        os.closerange(first, _BEYOND)
        worker.run(zygote, plan, name)
    finally:
        os._exit(BROKEN)
