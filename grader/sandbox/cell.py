"""What a worker is made of on the grader's side: descriptors, a process to kill, a folder to remove."""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox.channel import ZygoteDied
from grader.sandbox.inside.protocol import FORK, STATUS
from grader.sandbox.removal import remove

_PID_WAIT = 10.0
_LAST_WAIT = 1000
"""Milliseconds for a killed worker to be gone, when its zygote is going as well."""


class ForkFailed(Exception):
    """The machine would not make another process."""


@dataclass(frozen=True)
class Cell:
    """One worker's process. number: its id as the zygote sees it; handle: a pidfd, None where the system has none;
    scratch: its folder, None if it has a file system of its own."""

    number: int
    handle: int | None
    channel: socket.socket
    output: int
    status: socket.socket
    scratch: Path | None

    @property
    def pid(self) -> int:
        """Its process id as seen from here."""
        return process_id(self.handle, self.number)

    def kill(self) -> None:
        """Kill the process; does not wait. The grader's ends of its descriptors are closed, but for the status."""
        if self.handle is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)
            os.close(self.handle)
        with suppress(OSError):
            self.status.shutdown(socket.SHUT_WR)  # where there is no pidfd, this asks the zygote to kill it
        self.channel.close()
        os.close(self.output)

    def reaped(self, milliseconds: int = 0) -> bool:
        """Whether the process is gone; if so, its folder goes as well. Call only after `kill`."""
        poll = select.poll()
        poll.register(self.status, select.POLLIN)
        if not poll.poll(milliseconds):
            return False
        self.status.close()
        if self.scratch is None:
            return True
        try:
            self.scratch.rmdir()
        except OSError:  # not empty, and nobody knows how full
            threading.Thread(target=remove, args=(self.scratch,)).start()
        return True


def process_id(handle: int | None, otherwise: int) -> int:
    """The number, as seen from here, of the process behind a pidfd. In a pid namespace it has another one.

    otherwise: the answer where there is no pidfd, or no such process any more.
    """
    with suppress(OSError):
        for line in Path(f"/proc/self/fdinfo/{handle}").read_text("ascii").splitlines():
            if line.startswith("Pid:") and (number := int(line[4:])) > 0:
                return number
    return otherwise


def has_ended(handle: int) -> bool:
    """Whether the process behind a pidfd has ended."""
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(0))


class Departures:
    """Workers that have been killed and are not yet seen gone. Waiting for them would take longer than killing them."""

    def __init__(self) -> None:
        self._cells: list[Cell] = []
        self._closed = False
        self._lock = threading.Lock()  # one thread may make workers while another lets them go

    def add(self, cell: Cell) -> None:
        """Kill a worker and remember it."""
        cell.kill()
        if not (self._closed and cell.reaped(_LAST_WAIT)):
            with self._lock:
                self._cells.append(cell)

    def clear_away(self) -> None:
        """Forget those that are gone, and remove their folders."""
        with self._lock:
            self._cells = [cell for cell in self._cells if not cell.reaped()]

    def close(self) -> None:
        """Wait for those that are left, and from now on for each that is added."""
        self._closed = True
        with self._lock:
            self._cells = [cell for cell in self._cells if not cell.reaped(_LAST_WAIT)]


def holds_more(folder: Path, size: int, files: int) -> bool:
    """Whether a folder holds more bytes or more files than these; what comes and goes meanwhile may be missed."""
    waiting, found, used = [folder], 0, 0
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                found += 1
                with suppress(OSError):
                    used += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                if found > files or used > size:
                    return True
    return False


def fork_cell(control: socket.socket, scratch: Path | None) -> Cell:
    """Have the zygote fork a worker. Raises ForkFailed, ZygoteDied."""
    with ExitStack() as opened:
        channel, their_channel = socket.socketpair()
        opened.callback(channel.close)
        status, their_status = socket.socketpair()
        opened.callback(status.close)
        output, their_output = os.pipe()
        opened.callback(os.close, output)
        try:
            socket.send_fds(control, [FORK], [their_channel.fileno(), their_output, their_status.fileno()])
        except (BrokenPipeError, ConnectionResetError):
            raise ZygoteDied("the process that makes the workers has ended") from None
        finally:
            their_channel.close()
            their_status.close()
            os.close(their_output)
        channel.setblocking(False)
        os.set_blocking(output, False)
        pid, handle = _receive_pid(status)
        opened.pop_all()
    return Cell(pid, handle, channel, output, status, scratch)


def _receive_pid(status: socket.socket) -> tuple[int, int | None]:
    status.settimeout(_PID_WAIT)
    try:
        message, handles, _, _ = socket.recv_fds(status, STATUS.size, 1)
    except TimeoutError:
        raise ForkFailed(f"no worker was made within {_PID_WAIT:g} s") from None
    if len(message) < STATUS.size:
        raise ZygoteDied("the process that makes the workers has ended")
    pid: int = STATUS.unpack(message)[0]
    if pid < 0:
        raise ForkFailed(f"a worker could not be started: {os.strerror(-pid)}")
    return pid, handles[0] if handles else None
