"""The filter of system calls, run by a small interpreter, for both machines that there are tables for."""

import errno
import struct

import pytest

from grader.sandbox.inside.lockdown.seccomp import ALLOWED, ONLY_WITH, build
from grader.sandbox.inside.lockdown.syscalls import MACHINES, NUMBERS, number

ALLOW, KILL = 0x7FFF_0000, 0x8000_0000
REFUSED, UNKNOWN = 0x0005_0000 | errno.EPERM, 0x0005_0000 | errno.ENOSYS
ARCHITECTURE = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
PID = 4321


def run(machine: str, call: int, *arguments: int, architecture: int | None = None) -> int:
    """What the filter answers to a call of the process PID."""
    built = build(machine)
    packed = bytearray(built.packed)
    for place in built.places:
        struct.pack_into("<I", packed, place, PID)
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", call, architecture or ARCHITECTURE[machine], 0, *padded)
    steps = list(struct.iter_unpack("<HBBI", packed))
    at = loaded = 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        match code:
            case 0x20:
                (loaded,) = struct.unpack_from("<I", data, value)
            case 0x06:
                return int(value)
            case 0x15 | 0x25 | 0x35 | 0x45:
                holds = {0x15: loaded == value, 0x25: loaded > value, 0x35: loaded >= value, 0x45: loaded & value}[code]
                at += yes if holds else no
            case _:
                raise AssertionError(f"an unknown step {code:#x}")


def ask(machine: str, name: str, *arguments: int) -> int:
    """As `run`, by name."""
    found = number(name, machine)
    assert found is not None
    return run(machine, found, *arguments)


both = pytest.mark.parametrize("machine", MACHINES)


@both
def test_just_the_calls_on_the_list_pass_whatever_their_arguments(machine: str) -> None:
    listed = {number(name, machine) for names in ALLOWED.values() for name in names.split()}
    passing = {call for call in range(600) if run(machine, call, 1, 2, 3) == ALLOW}
    special = {number(name, machine) for name in (*ONLY_WITH, "clone")}
    assert passing - special == listed - {None}


@both
def test_what_is_not_on_the_list_is_refused_or_unknown(machine: str) -> None:
    assert ask(machine, "pivot_root") == REFUSED
    assert ask(machine, "capset") == REFUSED
    assert ask(machine, "seccomp") == REFUSED
    assert run(machine, 424) == UNKNOWN  # pidfd_send_signal
    assert run(machine, 435) == UNKNOWN  # clone3
    assert run(machine, 10_000) == UNKNOWN


@both
def test_only_threads_are_made(machine: str) -> None:
    thread = 0x10000 | 0x100 | 0x200 | 0x400 | 0x800
    assert ask(machine, "clone", thread) == ALLOW
    assert ask(machine, "clone", 17) == REFUSED
    assert ask(machine, "clone", thread | 0x1000_0000) == REFUSED


@both
def test_only_the_process_itself_gets_signals_and_limits(machine: str) -> None:
    for name in ("kill", "tgkill", "prlimit64"):
        assert ask(machine, name, PID) == ALLOW
        assert ask(machine, name, PID + 1) == REFUSED
        assert ask(machine, name, 0xFFFF_FFFF) == REFUSED
        assert ask(machine, name, 0xFFFF_FFFE) == REFUSED
    assert ask(machine, "kill", 0) == REFUSED
    assert ask(machine, "prlimit64", 0) == ALLOW


@both
def test_signals_by_way_of_descriptors_are_refused(machine: str) -> None:
    assert ask(machine, "fcntl", 3, 1030) == ALLOW
    assert ask(machine, "fcntl", 3, 8) == REFUSED  # F_SETOWN
    assert ask(machine, "ioctl", 3, 0x5401) == ALLOW
    assert ask(machine, "ioctl", 3, 0x5412) == REFUSED  # TIOCSTI
    assert ask(machine, "ioctl", 3, 0x8901) == REFUSED  # FIOSETOWN


@both
def test_another_architecture_ends_the_process(machine: str) -> None:
    assert run(machine, 1, architecture=0x4000_0003) == KILL
    other = next(each for each in MACHINES if each != machine)
    assert run(machine, 1, architecture=ARCHITECTURE[other]) == KILL


def test_the_second_table_of_x86_64_ends_the_process() -> None:
    assert run("x86_64", 0x4000_0000 + 39) == KILL


def test_the_tables_give_each_number_once() -> None:
    for column in range(len(MACHINES)):
        numbers = [each[column] for each in NUMBERS.values() if each[column] is not None]
        assert len(numbers) == len(set(numbers))


def test_a_machine_without_a_table_has_no_filter() -> None:
    with pytest.raises(ValueError, match="riscv64"):
        build("riscv64")
