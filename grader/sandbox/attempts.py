"""What the probe worker tries to do. It is sent there as source text, like a submission, and never imported here.

Each function returns if it could do what its name says, and raises if it could not.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import socket
import sys
from pathlib import Path

_PTRACE_SEIZE = 0x4206


def read_file(path: str) -> bytes:
    """Read a file of the grader's."""
    return Path(path).read_bytes()[:64]


def list_folder(path: str) -> int:
    """List a folder of the grader's."""
    return len(os.listdir(path))  # noqa: PTH208  # pathlib's way raises nothing before it is asked for an item


def write_file(path: str) -> None:
    """Make a file outside of the worker's own folder."""
    Path(path).write_text("written by the probe", "utf-8")


def change_mode(path: str) -> None:
    """Change the rights of a file of the grader's."""
    Path(path).chmod(0o600)


def connect(port: int) -> None:
    """Reach a program on this machine over the network."""
    socket.create_connection(("127.0.0.1", port), 1.0).close()


def fork() -> None:
    """Start a process."""
    if os.fork() == 0:
        os._exit(0)


def signal(pid: int) -> None:
    """Send the grader a signal (number 0, which does nothing but ask whether one could)."""
    os.kill(pid, 0)


def hold(pid: int) -> None:
    """Get hold of the grader's process by a descriptor."""
    os.close(os.pidfd_open(pid))


def trace(pid: int) -> None:
    """Trace the grader."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(ctypes.c_long(_PTRACE_SEIZE), ctypes.c_long(pid), None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def read_environment(pid: int) -> bytes:
    """Read the grader's environment variables."""
    return Path(f"/proc/{pid}/environ").read_bytes()[:1]


def allocate(megabytes: int) -> None:
    """Take more memory than is granted."""
    bytearray(megabytes << 20)


def share(megabytes: int) -> None:
    """Take more memory than is granted, in a mapping that could be shared."""
    mmap.mmap(-1, megabytes << 20).close()


def fill_folder(megabytes: int) -> None:
    """Write more to the worker's own folder than is granted."""
    for number in range(megabytes):
        Path(f"file-{number}").write_bytes(bytes(1 << 20))


def start_program() -> None:
    """Become another program. If that works, there is nobody left to say so."""
    os.execv(sys.executable, [sys.executable, "-S", "-c", "pass"])
