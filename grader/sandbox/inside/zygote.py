"""The zygote: torch imported, one thread, nothing secret; it forks a worker whenever it is asked."""

from __future__ import annotations

import fcntl
import gc
import importlib
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
from .lockdown import die_with_parent
from .modules import RefusedNames, install
from .protocol import FORK, READY, STATUS
from .status import BROKEN

_HIGH = 64
"""Descriptors are moved up to here before they are put in their places."""
_BEYOND = 1 << 16
"""No descriptor of this process is as high: there are a few for each living worker."""


def main(control: int, parent: int, preload: Sequence[str]) -> NoReturn:
    """Prepare, say so, and serve until the grader goes away. parent: whose death ends this process, 0 for nobody's."""
    if parent:
        die_with_parent(parent)
    sys.argv[:] = ["student"]
    torch.set_num_threads(1)
    for name in preload:
        importlib.import_module(name)
    _warm_up()
    install(RefusedNames())
    _assert_one_thread()
    gc.collect()
    gc.disable()
    gc.freeze()
    grader = socket.socket(fileno=control)
    grader.sendall(READY)
    _Zygote(grader).serve()


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


class _Zygote:
    def __init__(self, grader: socket.socket) -> None:
        self._grader = grader
        self._pid = os.getpid()
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
            for child in self._children.values():
                _kill(child.pid)
            os._exit(0)
        channel, output, status = descriptors
        self._fork(channel, output, socket.socket(fileno=status))
        os.close(channel)
        os.close(output)

    def _fork(self, channel: int, output: int, status: socket.socket) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            status.send(STATUS.pack(-(error.errno or 1)))
            status.close()
            return
        if pid == 0:
            _become_worker(self._pid, channel, output)
        child = _Child(pid, status)
        self._children[pid] = self._by_status[status.fileno()] = child
        self._poll.register(status, select.POLLIN)
        handles = [os.pidfd_open(pid)] if hasattr(os, "pidfd_open") else []
        with suppress(BrokenPipeError):
            socket.send_fds(status, [STATUS.pack(pid)], handles)
        for handle in handles:
            os.close(handle)

    def _reap(self) -> None:
        while self._children:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
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
                child.status.send(STATUS.pack(status))
            child.status.close()


def _kill(pid: int) -> None:
    """Kill a child that has not been waited for, so that its number is still its own."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _become_worker(zygote: int, channel: int, output: int) -> NoReturn:
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        channel, output = (fcntl.fcntl(each, fcntl.F_DUPFD, _HIGH) for each in (channel, output))
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.dup2(channel, worker.CHANNEL, inheritable=False)
        os.closerange(worker.CHANNEL + 1, _BEYOND)
        worker.run(zygote)
    finally:
        os._exit(BROKEN)
