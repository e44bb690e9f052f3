"""The kernel's surface: calls that no exercise needs are refused before the kernel looks at them."""

import pytest

# fmt: off
RARE_CALLS = (
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "fsopen", "open_tree", "move_mount",
    "mount_setattr", "bpf", "perf_event_open", "io_uring_setup", "userfaultfd", "keyctl", "add_key", "request_key",
    "memfd_create", "memfd_secret", "shmget", "msgget", "semget", "mq_open", "personality", "init_module",
    "finit_module", "kexec_load", "reboot", "swapon", "acct", "syslog", "settimeofday", "clock_adjtime",
    "sethostname", "quotactl", "fanotify_init", "inotify_init1", "lookup_dcookie", "vmsplice", "tee", "seccomp",
    "landlock_create_ruleset", "setuid", "setgroups", "capset", "signalfd4", "timer_create", "mlockall", "vhangup",
    "iopl", "ioperm", "modify_ldt", "uselib", "statmount", "listmount", "lsm_list_modules",
)
# fmt: on


@pytest.mark.parametrize("group", [RARE_CALLS[start::4] for start in range(4)], ids=lambda group: f"{group[0]}, ...")
def test_rare_calls_are_refused(walled, group):
    # The arguments are nonsense on purpose: where a call is served after all, it must do no harm.
    attack = f"""
        def attack(target):
            loot = Loot()
            for name in {group!r}:
                loot.call(name, -1, -1, -1, -1, -1)
            return loot
    """
    assert walled.loot(attack) == []


def test_the_filter_cannot_be_changed(walled):
    attack = """
        def attack(target):
            loot = Loot()
            loot.call("prctl", 22, 2, bytes(16), 0, 0)          # a filter of its own
            loot.call("prctl", 38, 0, 0, 0, 0)                  # new privileges after all
            loot.call("prctl", 35, 8, 0x1000, 0, 0)             # another map of its memory
            loot.call("prctl", 47, 2, 0, 0, 0)                  # ambient capabilities
            loot.call("prctl", 28, 0, 0, 0, 0)                  # securebits
            loot.call("seccomp", 1, 0, bytes(16))
            return loot
    """
    assert walled.loot(attack) == []


@pytest.mark.skipif("__import__('platform').machine() != 'x86_64'", reason="x86 only")
@pytest.mark.parametrize(
    "attack",
    [
        """
        import mmap
        def attack(target):
            page = mmap.mmap(-1, 4096, prot=7)
            page.write(bytes([0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3]))  # mov eax, 20 (getpid); int 0x80; ret
            run = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
            return [f"getpid of 32 bits: {run()}"]
        """,
        """
        def attack(target):
            found = ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(0x40000000 + 39))
            return [f"getpid of x32: {found}"] if found != -1 else []
        """,
        """
        def attack(target):
            high = ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long((1 << 32) + 57))
            if high == 0:
                os._exit(0)
            return [f"fork with high bits: {high}"] if high != -1 else []
        """,
    ],
    ids=["32 bits", "x32", "high bits"],
)
def test_calls_in_another_manner_are_no_way_round(walled, attack):
    assert walled.loot(attack) == []


def test_limits_cannot_be_raised(cage):
    attack = """
        import resource
        def attack(target):
            loot = Loot()
            for name in ("AS", "DATA", "CPU", "FSIZE", "NOFILE", "STACK"):
                which = getattr(resource, f"RLIMIT_{name}")
                hard = resource.getrlimit(which)[1]
                for more in (hard + 1, resource.RLIM_INFINITY):
                    if hard != resource.RLIM_INFINITY:
                        loot.take(name, lambda: resource.setrlimit(which, (more, more)))
            return loot
    """
    assert cage.loot(attack) == []


def test_no_account_and_no_capability_can_be_regained(walled):
    attack = """
        def attack(target):
            loot = Loot()
            if os.getuid() != 0:
                loot.take("user 0", lambda: os.setuid(0))
                loot.take("saved user 0", lambda: os.setresuid(0, 0, 0))
            loot.take("groups", lambda: os.setgroups([0]))
            loot.take("nice", lambda: os.nice(-5))
            loot.take("chroot", lambda: os.chroot("."))
            loot.take("clock", lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()))
            loot.take("real time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
            return loot
    """
    assert walled.loot(attack) == []
