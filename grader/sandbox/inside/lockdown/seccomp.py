"""The system calls that a worker may make: a list of names, turned into a filter that the kernel runs.

The filter is built once, in the zygote. Calls on the list pass; some only with certain arguments; those that Linux has
got since 5.1 are answered as if this kernel did not have them, so that the C library falls back on older ones; all
others are refused. A call in the manner of another architecture (32 bit, say) ends the process.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import system
from .syscalls import number

ALLOWED = {
    "files": """read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 close close_range lseek open
        openat access faccessat faccessat2 readlink readlinkat stat lstat fstat newfstatat statx statfs fstatfs
        getdents64 getcwd chdir fchdir mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 ftruncate fallocate
        fadvise64 fsync fdatasync sendfile copy_file_range umask dup dup2 dup3 pipe pipe2""",
    "memory": "mmap mprotect munmap mremap madvise brk msync mincore",
    "signals": """rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack
        restart_syscall pause""",
    "waiting": """poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
        eventfd2 timerfd_create timerfd_settime timerfd_gettime setitimer getitimer alarm nanosleep clock_nanosleep
        wait4 waitid""",
    "threads": """futex futex_waitv set_tid_address set_robust_list get_robust_list rseq membarrier sched_yield
        sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min getpriority
        exit exit_group""",
    "asking": """getpid gettid getppid getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp getpgid
        getsid uname sysinfo times getrusage gettimeofday clock_gettime clock_getres time getcpu getrandom getrlimit""",
    "limits": "setrlimit",
    "sockets it has": """sendto recvfrom sendmsg recvmsg shutdown getsockopt getsockname getpeername""",
}
"""What passes whatever its arguments. Without it: processes, programs, sockets, mounts, keys, tracing, ..."""

PID = 0xFFFF_FFFE
"""In place of the worker's own process id, which is not known when the filter is built."""

ONLY_WITH: dict[str, tuple[int, tuple[int, ...]]] = {
    "kill": (0, (PID,)),
    "tgkill": (0, (PID,)),
    "prlimit64": (0, (0, PID)),
    "sched_setaffinity": (0, (0,)),
    "socketpair": (1, (1, 0x801, 0x80001, 0x80801)),  # streams: a datagram could be sent on to any named socket
    "prctl": (0, (15, 16, 0x53564D41)),  # the name of a thread, of a mapping
    "arch_prctl": (0, (0x1021, 0x1022, 0x1023)),  # wide registers
    "fcntl": (1, (0, 1, 2, 3, 4, 5, 6, 7, 1030, 1032)),  # no signals to owners, no leases, no larger pipes
    "ioctl": (1, (0x5401, 0x5413, 0x5421, 0x541B, 0x5450, 0x5451)),  # is it a terminal, how wide, do not block, ...
}
"""Call: which argument, and the values that pass."""

_CLONE_THREAD = 0x10000
_CLONE_NEW = 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000
_FIRST_RECENT = 424
"""From here on all machines share their numbers."""

_ALLOW = 0x7FFF_0000
_KILL = 0x8000_0000
_REFUSE = 0x0005_0000 | errno.EPERM
_UNKNOWN = 0x0005_0000 | errno.ENOSYS
_ARCHITECTURES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
_X32 = 0x4000_0000
_SET_MODE_FILTER = 1


@dataclass(frozen=True)
class Instruction:
    """One step of the classic Berkeley packet filter. yes, no: how many steps a comparison skips."""

    code: int
    value: int
    yes: int = 0
    no: int = 0


@dataclass(frozen=True)
class Filter:
    """A filter ready for the kernel but for the process id. places: offsets at which that goes."""

    packed: bytes
    places: tuple[int, ...]

    def install(self, pid: int) -> None:
        """Apply it to this process, for good. Raises OSError."""
        packed = bytearray(self.packed)
        for place in self.places:
            struct.pack_into("<I", packed, place, pid)
        program = ctypes.create_string_buffer(bytes(packed), len(packed))
        header = ctypes.create_string_buffer(struct.pack("@HP", len(packed) // 8, ctypes.addressof(program)))
        seccomp = number("seccomp")
        assert seccomp is not None
        system.syscall("seccomp", seccomp, _SET_MODE_FILTER, 0, ctypes.addressof(header))


def build(machine: str = "") -> Filter:
    """The filter for a machine, this one by default. Raises ValueError for one that the tables do not know."""
    machine = machine or platform.machine()
    steps = list(_steps(machine))
    packed = b"".join(struct.pack("<HBBI", each.code, each.yes, each.no, each.value) for each in steps)
    return Filter(packed, tuple(8 * index + 4 for index, each in enumerate(steps) if each.value == PID))


def allowed_ranges(machine: str) -> list[tuple[int, int]]:
    """First and last number of each run of calls that pass whatever their arguments."""
    numbers = {number(name, machine) for names in ALLOWED.values() for name in names.split()}
    ranges: list[tuple[int, int]] = []
    for each in sorted(found for found in numbers if found is not None):
        if ranges and ranges[-1][1] == each - 1:
            ranges[-1] = (ranges[-1][0], each)
        else:
            ranges.append((each, each))
    return ranges


def _steps(machine: str) -> Iterator[Instruction]:
    if machine not in _ARCHITECTURES:
        raise ValueError(f"there is no table of system calls for {machine}")
    yield _load(4)
    yield _equal(_ARCHITECTURES[machine], yes=1)
    yield _return(_KILL)
    yield _load(0)
    if machine == "x86_64":
        yield _at_least(_X32, no=1)
        yield _return(_KILL)
    for first, last in allowed_ranges(machine):
        if first == last:
            yield _equal(first, no=1)
        else:
            yield _at_least(first, no=2)
            yield _above(last, yes=1)
        yield _return(_ALLOW)
    for name, (argument, values) in ONLY_WITH.items():
        yield from _special(name, machine, _one_of(argument, values))
    yield from _special("clone", machine, _threads_only())
    yield _at_least(_FIRST_RECENT, no=1)
    yield _return(_UNKNOWN)
    yield _return(_REFUSE)


def _special(name: str, machine: str, body: Sequence[Instruction]) -> Iterator[Instruction]:
    """Steps for one call, which return."""
    found = number(name, machine)
    if found is not None:
        yield _equal(found, no=len(body))
        yield from body


def _one_of(argument: int, values: Sequence[int]) -> list[Instruction]:
    """Pass if the low half of an argument is one of these. The kernel takes no more than that of a pid or a command."""
    tests = [_equal(value, yes=len(values) - index) for index, value in enumerate(values)]
    return [_load(16 + 8 * argument), *tests, _return(_REFUSE), _return(_ALLOW)]


def _threads_only() -> list[Instruction]:
    """Pass if a new thread is wanted, in no new namespace."""
    return [
        _load(16),
        _any_bit(_CLONE_THREAD, no=2),
        _any_bit(_CLONE_NEW, yes=1),
        _return(_ALLOW),
        _return(_REFUSE),
    ]


def _load(offset: int) -> Instruction:
    return Instruction(0x20, offset)


def _equal(value: int, yes: int = 0, no: int = 0) -> Instruction:
    return Instruction(0x15, value, yes, no)


def _above(value: int, yes: int = 0, no: int = 0) -> Instruction:
    return Instruction(0x25, value, yes, no)


def _at_least(value: int, yes: int = 0, no: int = 0) -> Instruction:
    return Instruction(0x35, value, yes, no)


def _any_bit(value: int, yes: int = 0, no: int = 0) -> Instruction:
    return Instruction(0x45, value, yes, no)


def _return(value: int) -> Instruction:
    return Instruction(0x06, value)
