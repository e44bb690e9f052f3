"""System calls that the standard library has no function for. Nothing is looked up before it is used, so that the
module can be imported on any Unix."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Any

from .syscalls import number

_LIBC = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_NOATIME = 1024
MS_NODIRATIME = 2048
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MS_RELATIME = 1 << 21
MNT_DETACH = 2


@cache
def _function(name: str, *kinds: Any) -> Any:
    function = getattr(_LIBC, name)
    function.argtypes = kinds
    return function


def _check(result: int, what: str) -> int:
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def syscall(name: str, number: int, *arguments: int) -> int:
    """A raw call whose arguments are all whole numbers or addresses. Raises OSError, in which `name` stands."""
    call = _LIBC.syscall
    call.restype = ctypes.c_long
    return _check(call(ctypes.c_long(number), *map(ctypes.c_long, arguments)), name)


def prctl(option: int, value: int) -> int:
    """prctl with one argument. Raises OSError."""
    call = _function("prctl", ctypes.c_int, *[ctypes.c_ulong] * 4)
    return _check(call(option, value, 0, 0, 0), f"prctl {option}")


def unshare(flags: int) -> None:
    """Leave namespaces of these kinds for new ones. Raises OSError."""
    _check(_function("unshare", ctypes.c_int)(flags), f"unshare {flags:#x}")


def enter_namespace(descriptor: int, kind: int) -> None:
    """setns. Raises OSError."""
    _check(_function("setns", ctypes.c_int, ctypes.c_int)(descriptor, kind), f"setns {kind:#x}")


def mount(source: str | None, target: str, kind: str | None = None, flags: int = 0, options: str | None = None) -> None:
    """mount(2). Raises OSError."""
    text = ctypes.c_char_p
    call = _function("mount", text, text, text, ctypes.c_ulong, text)
    parts = [None if each is None else os.fsencode(each) for each in (source, target, kind, options)]
    _check(call(*parts[:3], flags, parts[3]), f"mount {target}")


def unmount(target: str, flags: int) -> None:
    """umount2(2). Raises OSError."""
    _check(_function("umount2", ctypes.c_char_p, ctypes.c_int)(os.fsencode(target), flags), f"umount {target}")


def pivot_root(new: str, old: str) -> None:
    """pivot_root(2), which the C library has no function for. Raises OSError."""
    call = number("pivot_root")
    assert call is not None
    first, second = ctypes.c_char_p(os.fsencode(new)), ctypes.c_char_p(os.fsencode(old))
    _LIBC.syscall.restype = ctypes.c_long
    _check(_LIBC.syscall(ctypes.c_long(call), first, second), "pivot_root")
