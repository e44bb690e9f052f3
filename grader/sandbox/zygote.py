"""The grader's handle on the zygote. Importing this module does not import torch."""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

from grader.sandbox.cell import Departures, ForkFailed, fork_cell, has_ended, process_id
from grader.sandbox.channel import WorkerFailed, ZygoteDied
from grader.sandbox.inside.limits import Limits
from grader.sandbox.inside.lockdown import cgroup
from grader.sandbox.inside.lockdown.names import CGROUP, NAMESPACES, OPTIONAL
from grader.sandbox.inside.protocol import READY
from grader.sandbox.inside.setup import Announcement, Setup
from grader.sandbox.launch import package_folders, parent_to_die_with, secret_folders, start_zygote
from grader.sandbox.removal import remove

if TYPE_CHECKING:
    from grader.sandbox.worker import Worker

_READY_WAIT = 120.0
_STOP_WAIT = 5.0
_MOST_ANNOUNCED = 1 << 16
_numbers = itertools.count(1)


class Zygote:
    """A process that has imported torch and forks workers.

    The constructor starts it and returns at once, so that it imports torch while the grader does. preload: further
    modules that it imports, "torch._dynamo" for one, without which the first optimizer of every worker takes seconds;
    without: layers of protection that are left off (see inside/lockdown/names.py), landlock_most: the newest version of
    Landlock to use; both for tests. Raises NoTorch when this Python has no torch, ValueError for an unknown layer.
    """

    def __init__(
        self, preload: Sequence[str] = (), *, without: frozenset[str] = frozenset(), landlock_most: int | None = None
    ) -> None:
        if unknown := without.difference(OPTIONAL):
            raise ValueError(f"no layers that can be left off: {', '.join(sorted(unknown))}")
        self._preload = tuple(preload)
        self._without = without
        self._landlock_most = landlock_most
        self._serials = itertools.count(1)
        self._nursery = ThreadPoolExecutor(1, "nursery")
        self._ahead: _Ahead | None = None
        self.generation = 1
        self._life = self._begin()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Its process id; before it is ready, that of the process that was started."""
        return self._life.pid

    @property
    def alive(self) -> bool:
        """Whether the process is there."""
        return self._life.alive

    def announcement(self) -> Announcement:
        """The layers that all of its workers have, and why others are off. Waits for it. Raises ZygoteDied."""
        return self._life.announcement()

    def wait_until_ready(self) -> None:
        """Wait until workers can be forked. Raises ZygoteDied with what the process said when it could not start."""
        self._life.announcement()

    def restart(self) -> None:
        """Start another in place of one that has died; its workers are gone with it. Returns at once."""
        self.close()
        self.generation += 1
        self._life = self._begin()

    def prepare(self, limits: Limits | None = None) -> None:
        """Have a worker made while the caller goes on; the next `worker` of these limits is that one."""
        if self._ahead is None:
            limits = limits or Limits()
            self._ahead = _Ahead(limits, self._life, self._nursery.submit(self._make, self._life, limits))

    def worker(self, limits: Limits | None = None) -> Worker:
        """A fresh worker. Raises ZygoteDied, ForkFailed, and WorkerFailed when it ended before it was ready or lacks a
        layer that it was to have."""
        limits, ahead, self._ahead = limits or Limits(), self._ahead, None
        if ahead is not None and (ahead.limits, ahead.life) == (limits, self._life):
            return ahead.worker.result()
        if ahead is not None:
            ahead.discard()
        return self._make(self._life, limits)

    def _make(self, life: _Life, limits: Limits) -> Worker:
        from grader.sandbox.worker import Worker  # imports torch

        expected = life.announcement().layers
        life.departures.clear_away()
        serial = next(self._serials)
        scratch = None if NAMESPACES in expected else life.home / str(serial)
        try:
            if scratch is not None:
                scratch.mkdir(mode=0o700)
            cell = fork_cell(life.control, scratch)
        except OSError as error:
            raise ForkFailed(f"a worker has no folder to work in: {error}") from error
        except ZygoteDied as error:
            raise ZygoteDied(f"{error}\n{life.said()}".strip()) from None
        return Worker(cell, serial, limits, life.departures, expected)

    def close(self) -> None:
        """End the zygote and all its workers, and remove their folders."""
        if self._ahead is not None:
            self._ahead.discard()
            self._ahead = None
        self._life.end()

    def _begin(self) -> _Life:
        return _Life(self._preload, self._without, self._landlock_most)


@dataclass(frozen=True)
class _Ahead:
    """A worker that is being made, by which zygote, before anybody has asked for it."""

    limits: Limits
    life: _Life
    worker: Future[Worker]

    def discard(self) -> None:
        """Nobody wants it. Why it could not be made, if so, is told when the next one cannot be made either."""
        with suppress(ZygoteDied, ForkFailed, WorkerFailed):
            self.worker.result().close()


class _Life:
    """One process, from its start to its end."""

    def __init__(self, preload: tuple[str, ...], without: frozenset[str], landlock_most: int | None) -> None:
        packages, secret, parent = tuple(package_folders()), tuple(secret_folders()), parent_to_die_with()
        try:
            self.home = Path(tempfile.mkdtemp(prefix="anatomy-")).resolve()
        except OSError as error:
            raise ZygoteDied(f"there is no folder for temporary files: {error}") from error
        with ExitStack() as undone:  # from here on a folder must go, whatever happens
            undone.callback(remove, self.home)
            try:
                self._errors = undone.enter_context(tempfile.TemporaryFile())
            except OSError as error:
                raise ZygoteDied(f"there is no folder for temporary files: {error}") from error
            if os.getuid() == 0:
                self.home.chmod(0o711)  # its workers become somebody else and must reach their folders
            group = None if CGROUP in without else _make_group()
            self.control, theirs = socket.socketpair()
            undone.callback(self.control.close)
            with theirs:
                setup = Setup(
                    control=theirs.fileno(),
                    parent=parent,
                    home=str(self.home),
                    packages=packages,
                    preload=preload,
                    secret=secret,
                    group=str(group) if group else None,
                    without=tuple(sorted(without)),
                    landlock_most=landlock_most,
                )
                self._process = start_zygote(setup, self._errors)
            undone.pop_all()  # its folder is its own to remove, and `_stop`'s
        self._announced: Announcement | None = None
        self._listening = threading.Lock()
        self._handle: int | None = None
        self.departures = Departures()
        self.end = weakref.finalize(
            self, _stop, self._process, self.control, self.departures, self.home, self._errors, group
        )

    @property
    def pid(self) -> int:
        return process_id(self._handle, self._process.pid)

    @property
    def alive(self) -> bool:
        if not self.end.alive or self._process.poll() is not None:
            return False
        return self._handle is None or not has_ended(self._handle)

    def announcement(self) -> Announcement:
        with self._listening:  # it is said once: of two threads that listen, one would wait for ever
            if self._announced is None:
                self._announced = self._listen()
            return self._announced

    def _listen(self) -> Announcement:
        self.control.settimeout(_READY_WAIT)
        message, handles = b"", list[int]()
        with suppress(TimeoutError, ConnectionResetError):
            while not message.endswith(b"\n") and len(message) < _MOST_ANNOUNCED:
                piece, arrived, _, _ = socket.recv_fds(self.control, _MOST_ANNOUNCED, 1)
                handles += arrived
                if not piece:
                    break
                message += piece
        if not (message.startswith(READY) and message.endswith(b"\n")):
            raise ZygoteDied(f"the process that makes the workers did not start:\n{self.said()}")
        if handles:
            self._handle = handles[0]
            weakref.finalize(self, os.close, handles[0])
        return Announcement.from_json(message.removeprefix(READY).decode())

    def said(self) -> str:
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - 4000))
        return self._errors.read().decode(errors="replace").strip()


def _make_group() -> Path | None:
    """A control group for one zygote, where this account may make one."""
    if not Path("/proc/self/cgroup").is_file() or (parent := cgroup.delegated()) is None:
        return None
    group = parent / f"anatomy-{os.getpid()}-{next(_numbers)}"
    try:
        group.mkdir()
    except OSError:  # handed on in name only
        return None
    return group


def _stop(
    process: subprocess.Popen[bytes],
    control: socket.socket,
    departures: Departures,
    home: Path,
    errors: IO[bytes],
    group: Path | None,
) -> None:
    control.close()
    try:
        process.wait(_STOP_WAIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    departures.close()
    errors.close()
    remove(home)
    if group is not None:
        cgroup.remove(group)
