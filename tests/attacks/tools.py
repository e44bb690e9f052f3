"""What every attacker brings along: `from .tools import *` in a submitted text. It runs in the worker, never here."""

import ctypes
import errno
import os
import platform
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

__all__ = [
    "FORGED",
    "Loot",
    "body",
    "call_id",
    "ctypes",
    "errno",
    "forge",
    "frame",
    "os",
    "raw",
    "struct",
    "sys",
    "syscall",
    "time",
]

_LIBC = ctypes.CDLL(None, use_errno=True)
_HARMLESS_REFUSALS = {errno.EINVAL, errno.EFAULT, errno.EBADF, errno.ENOTTY, errno.ECHILD}
"""Errors by which the kernel shows that it looked at the arguments of a call, and so would have served it."""

# x86_64, aarch64
_CALLS = {
    "fork": (57, None),
    "vfork": (58, None),
    "clone": (56, 220),
    "clone3": (435, 435),
    "execveat": (322, 281),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "get_robust_list": (274, 100),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "fsopen": (430, 430),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "mount_setattr": (442, 442),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "personality": (135, 92),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "acct": (163, 89),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "quotactl": (179, 60),
    "fanotify_init": (300, 262),
    "inotify_init1": (294, 26),
    "lookup_dcookie": (212, 18),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "vmsplice": (278, 75),
    "tee": (276, 77),
    "seccomp": (317, 277),
    "landlock_create_ruleset": (444, 444),
    "setuid": (105, 146),
    "setgroups": (116, 159),
    "capset": (126, 91),
    "prctl": (157, 167),
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "signalfd4": (289, 74),
    "timer_create": (222, 107),
    "mlockall": (151, 230),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "statmount": (457, 457),
    "listmount": (458, 458),
    "lsm_list_modules": (461, 461),
}


class Loot(list[str]):
    """What an attack got hold of, a line each; an attack that was contained returns it empty."""

    def take(self, what: str, act: Callable[[], Any]) -> None:
        """Try something and note it if nothing refused it."""
        try:
            got = act()
        except Exception:
            return
        self.append(f"{what}: {got!r}"[:300])

    def call(self, name: str, *arguments: int | bytes) -> None:
        """Try a system call; one that the kernel looked into counts, though it found the arguments odd."""
        try:
            self.append(f"{name}: {syscall(name, *arguments)}")
        except OSError as error:
            if error.errno in _HARMLESS_REFUSALS:
                self.append(f"{name}: served ({errno.errorcode[error.errno]})")


def syscall(name: str, *arguments: int | bytes) -> int:
    """A system call past every wrapper of Python and the C library. Raises OSError."""
    number = _CALLS[name][0 if platform.machine() == "x86_64" else 1]
    if number is None:
        raise OSError(errno.ENOSYS, name)
    passed = [each if isinstance(each, bytes) else ctypes.c_long(each) for each in arguments]
    found: int = _LIBC.syscall(ctypes.c_long(number), *passed)
    if found == -1:
        raise OSError(ctypes.get_errno(), name)
    return found


# What follows speaks the worker's side of the protocol, as somebody would who has read the project's source.

_HEADER = struct.Struct("<4sIQQ")
RETURNED = 7


def raw(data: bytes) -> None:
    """Write to the channel."""
    while data:
        data = data[os.write(3, data) :]


def call_id() -> int:
    """The id of the request that is being served, found in the frames below."""
    found: Any = sys._getframe()
    while not hasattr(found.f_locals.get("frame"), "call_id"):
        found = found.f_back
    number: int = found.f_locals["frame"].call_id
    return number


def body(value: bytes) -> bytes:
    """The answer to a call with this encoded value: no gradients, no changed arguments, not stale, no effects."""
    return b"t\5\0\0\0" + value + b"N" + b"l\0\0\0\0" + b"F" + b"l\0\0\0\0"


FORGED = body(b"s\6\0\0\0forged")


def frame(
    payload: bytes = FORGED,
    kind: int = RETURNED,
    number: int | None = None,
    magic: bytes = b"\xabSbx",
    length: int | None = None,
) -> bytes:
    """A frame, honest or not."""
    claimed = len(payload) if length is None else length
    return _HEADER.pack(magic, kind, call_id() if number is None else number, claimed) + payload


def forge(**how: Any) -> None:
    """Send a frame."""
    raw(frame(**how))
