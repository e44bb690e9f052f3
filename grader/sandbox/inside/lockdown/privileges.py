"""Rights that a process holds beyond its account's: capabilities, and those that a new program would bring."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import struct

from . import system
from .syscalls import number

_CAPABILITIES = 64
"""More than any kernel has; the first one that it does not know ends the loop."""
_VERSION_3 = 0x20080522


def die_with_parent(parent: int) -> None:
    """Be killed when the parent process ends; exit at once if it has ended already.

    A parent in an outer pid namespace is seen as number 0, and its end before this call is not noticed here.
    """
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() not in (parent, 0):
        os._exit(0)


def forbid_new_privileges() -> None:
    """No program started from here gains rights by its set-uid bit; Landlock and seccomp ask for this. For good."""
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)


def drop_capabilities() -> None:
    """Empty the bounding set, where that is allowed, and all the others, which always is. Raises OSError."""
    for capability in range(_CAPABILITIES):
        try:
            system.prctl(system.PR_CAPBSET_DROP, capability)
        except OSError as error:
            # EINVAL: beyond the kernel's last one. EPERM: an ordinary account, which has none to drop.
            if error.errno in (errno.EINVAL, errno.EPERM):
                break
            raise
    header = ctypes.create_string_buffer(struct.pack("<Ii", _VERSION_3, 0))
    sets = ctypes.create_string_buffer(24)
    capset = number("capset")
    assert capset is not None
    system.syscall("capset", capset, ctypes.addressof(header), ctypes.addressof(sets))


def set_dumpable(on: bool) -> None:
    """Whether processes of the same account may trace this one and write its files in /proc."""
    system.prctl(system.PR_SET_DUMPABLE, int(on))
