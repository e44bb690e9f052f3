"""Processes: none can be started, none can be touched, and a worker's end is the end of all that was in it."""

import pytest

ATTACKS = {
    "runs a program": """
        def attack(target):
            import subprocess
            loot = Loot()
            loot.take("subprocess", lambda: subprocess.check_output(["/bin/true"]))
            loot.take("system", lambda: os.system("true") == 0 or 1 / 0)
            loot.take("popen", lambda: os.popen("echo got it").read() or 1 / 0)
            loot.take("posix_spawn", lambda: os.posix_spawn("/bin/true", ["true"], {}))
            loot.take("exec", lambda: os.execv(sys.executable, [sys.executable, "-c", "pass"]))
            loot.call("execveat", -100, b"/bin/true\\0", 0, 0, 0)
            return loot
    """,
    "runs a program that it has written into memory": """
        def attack(target):
            loot = Loot()
            loot.call("memfd_create", b"program\\0", 0)
            with open("program", "wb") as file:
                file.write(b"#!/bin/true\\n")
            os.chmod("program", 0o700) if hasattr(os, "chmod_is_allowed") else None
            handle = os.open("program", os.O_RDONLY)
            loot.call("execveat", handle, b"\\0", 0, 0, 0x1000)
            loot.take("fexecve", lambda: os.execve(handle, ["x"], {}))
            return loot
    """,
    "forks in every manner": """
        def attack(target):
            import multiprocessing
            loot = Loot()
            def gone(pid):
                if pid == 0:
                    os._exit(0)
                return pid
            loot.take("fork", lambda: gone(os.fork()))
            loot.take("forkpty", lambda: gone(os.forkpty()[0]))
            for name, arguments in {"fork": (), "clone": (17, 0, 0, 0, 0), "clone3": (0, 0)}.items():
                try:
                    loot.append(f"{name}: {gone(syscall(name, *arguments))}")
                except OSError:
                    pass
            try:
                loot.append(f"new user namespace: {gone(syscall('clone', 0x10000000 | 17, 0, 0, 0, 0))}")
            except OSError:
                pass
            def by_module():
                process = multiprocessing.get_context("fork").Process(target=print)
                process.start()
                return process.pid
            loot.take("multiprocessing", by_module)
            return loot
    """,
    "forks a hundred times": """
        def attack(target):
            children = 0
            for _ in range(100):
                try:
                    if os.fork() == 0:
                        time.sleep(60)
                        os._exit(0)
                    children += 1
                except OSError:
                    pass
            return [f"{children} children"] if children else []
    """,
    "leaves a daemon behind": """
        def attack(target):
            for _ in range(2):
                if os.fork():
                    return ["forked"]
                os.setsid()
            while True:
                time.sleep(1)
    """,
    "hides a fork in a load of data": """
        def attack(target):
            import torch
            loot = Loot()
            def loaded():
                data = torch.utils.data.TensorDataset(torch.ones(4))
                return list(torch.utils.data.DataLoader(data, num_workers=2, timeout=1))
            loot.take("loader", loaded)
            loot.take("shared", lambda: torch.ones(3).share_memory_())
            return loot
    """,
    "asks whether others may be killed": """
        # Signal 0 kills nobody: what it would reach, a 9 would end.
        def attack(target):
            loot = Loot()
            others = [target[who] for who in ("grader", "zygote", "neighbour", "victim")] + [os.getppid()]
            for pid in (other for other in others if other > 1):
                loot.take(f"kill {pid}", lambda: os.kill(pid, 0))
                loot.take(f"kill the group of {pid}", lambda: os.killpg(pid, 0))
                loot.call("tkill", pid, 0)
                loot.call("tgkill", pid, pid, 0)
                loot.call("rt_sigqueueinfo", pid, 0, bytes(128))
                loot.take(f"handle of {pid}", lambda: os.pidfd_open(pid))
            loot.take("everybody", lambda: os.kill(-1, 0))
            loot.call("pidfd_send_signal", 3, 0, 0, 0)
            return loot
    """,
    "kills the one beside": """
        def attack(target):
            loot = Loot()
            loot.take("kill", lambda: os.kill(target["victim"], 9))
            loot.take("stop", lambda: os.kill(target["victim"], 19))
            loot.call("tgkill", target["victim"], target["victim"], 9)
            return loot
    """,
    "looks into others": """
        def attack(target):
            loot, room = Loot(), ctypes.create_string_buffer(64)
            where = ctypes.addressof(room)
            for pid in (target[who] for who in ("grader", "zygote", "neighbour", "victim")):
                loot.call("ptrace", 16, pid, 0, 0)
                loot.call("ptrace", 0x4206, pid, 0, 0)
                loot.call("process_vm_readv", pid, where, 1, where, 1, 0)
                loot.call("process_vm_writev", pid, where, 1, where, 1, 0)
                loot.call("prlimit64", pid, 0, 0, where)
                loot.call("sched_setaffinity", pid, 8, where)
                loot.call("setpriority", 0, pid, 19)
                loot.call("ioprio_set", 1, pid, 0)
                loot.call("kcmp", pid, pid, 0, 0, 0)
                loot.call("move_pages", pid, 0, 0, 0, 0, 0)
                loot.call("migrate_pages", pid, 8, where, where)
                loot.call("pidfd_open", pid, 0)
            for name in ("pidfd_getfd", "process_madvise", "process_mrelease"):
                loot.call(name, 3, 0, 0, 0)
            return loot
    """,
    "invites others to trace it": """
        def attack(target):
            loot = Loot()
            loot.call("ptrace", 0, 0, 0, 0)
            loot.call("prctl", 0x59616D61, -1, 0, 0, 0)
            loot.call("prctl", 4, 1, 0, 0, 0)
            return loot
    """,
    "has the kernel send signals for it": """
        def attack(target):
            import fcntl, socket
            loot = Loot()
            one, other = socket.socketpair()
            for pid in (target["victim"], -target["victim"]):
                loot.take("owner", lambda: fcntl.fcntl(one.fileno(), fcntl.F_SETOWN, pid))
                loot.take("owner, extended", lambda: fcntl.fcntl(one.fileno(), 15, struct.pack("ii", 1, pid)))
                loot.take("owner by ioctl", lambda: fcntl.ioctl(one.fileno(), 0x8901, struct.pack("i", pid)))
            loot.take("which signal", lambda: fcntl.fcntl(one.fileno(), 10, 9))
            loot.take("lease", lambda: fcntl.fcntl(0, 1024, 1))
            loot.take("watch a folder", lambda: fcntl.fcntl(os.open(".", 0), 1026, 1))
            loot.call("timer_create", 0, struct.pack("QiiI", 0, 9, 4, target["victim"]) + bytes(64), bytes(8))
            return loot
    """,
    "outlives its parent": """
        def attack(target):
            loot = Loot()
            loot.call("prctl", 1, 0, 0, 0, 0)    # PR_SET_PDEATHSIG: no signal
            loot.call("prctl", 36, 1, 0, 0, 0)   # PR_SET_CHILD_SUBREAPER
            return loot
    """,
    "types into the terminal": """
        def attack(target):
            import fcntl
            loot = Loot()
            for descriptor in (0, 1, 2):
                loot.take(f"type into {descriptor}", lambda: fcntl.ioctl(descriptor, 0x5412, b"x"))
                loot.take(f"paste into {descriptor}", lambda: fcntl.ioctl(descriptor, 0x541C, b"\\3"))
                loot.take(f"take {descriptor}", lambda: fcntl.ioctl(descriptor, 0x540E, 1))
            return loot
    """,
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_no_process_is_started_or_touched(walled, attack):
    assert walled.loot(attack) == []


def test_threads_are_bounded(walled):
    attack = """
        import threading
        def attack(target):
            try:
                for started in range(5000):
                    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            except RuntimeError:
                return [] if started < 1000 else [f"{started} threads"]
            return ["5000 threads"]
    """
    assert walled.loot(attack) == []
