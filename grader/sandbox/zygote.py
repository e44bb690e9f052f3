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
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

from grader.sandbox.cell import Departures, fork_cell, remove
from grader.sandbox.channel import ZygoteDied
from grader.sandbox.inside.limits import Limits
from grader.sandbox.inside.protocol import READY
from grader.sandbox.launch import start_zygote

if TYPE_CHECKING:
    from grader.sandbox.worker import Worker

_READY_WAIT = 120.0
_STOP_WAIT = 5.0


class Zygote:
    """A process that has imported torch and forks workers.

    The constructor starts it and returns at once, so that it imports torch while the grader does. preload: further
    modules that it imports, "torch._dynamo" for one, without which the first optimizer of every worker takes seconds.
    Raises NoTorch when this Python has no torch.
    """

    def __init__(self, preload: Sequence[str] = ()) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `close`
        self._home = Path(tempfile.mkdtemp(prefix="anatomy-"))
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = start_zygote(theirs.fileno(), preload, self._errors)
        self._ready = threading.Event()
        self._serials = itertools.count(1)
        self._departures = Departures()
        self._finalizer = weakref.finalize(
            self, _stop, self._process, self._ready, self._control, self._departures, self._home, self._errors
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process is there."""
        return self._finalizer.alive and self._process.poll() is None

    def wait_until_ready(self) -> None:
        """Wait until workers can be forked. Raises ZygoteDied with what the process said when it could not start."""
        if self._ready.is_set():
            return
        self._control.settimeout(_READY_WAIT)
        with suppress(TimeoutError, ConnectionResetError):
            if self._control.recv(1) == READY:
                self._ready.set()
        if not self._ready.is_set():
            raise ZygoteDied(f"the process that makes the workers did not start:\n{self._said()}")

    def worker(self, limits: Limits | None = None) -> Worker:
        """A fresh worker. Raises ZygoteDied, ForkFailed, and WorkerFailed when it ended before it was ready."""
        from grader.sandbox.worker import Worker  # imports torch

        self.wait_until_ready()
        self._departures.clear_away()
        serial = next(self._serials)
        scratch = self._home / str(serial)
        scratch.mkdir(mode=0o700)
        try:
            cell = fork_cell(self._control, scratch)
        except ZygoteDied as error:
            raise ZygoteDied(f"{error}\n{self._said()}".strip()) from None
        return Worker(cell, serial, limits or Limits(), self._departures)

    def close(self) -> None:
        """End the zygote and all its workers, and remove their folders."""
        self._finalizer()

    def _said(self) -> str:
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - 4000))
        return self._errors.read().decode(errors="replace").strip()


def _stop(
    process: subprocess.Popen[bytes],
    ready: threading.Event,
    control: socket.socket,
    departures: Departures,
    home: Path,
    errors: IO[bytes],
) -> None:
    control.close()
    try:
        # One that is not ready listens to nobody yet, and has no workers.
        process.wait(_STOP_WAIT if ready.is_set() else 0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    departures.close()
    errors.close()
    remove(home)
