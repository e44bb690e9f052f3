"""What submitted code cannot do, with all layers on and with each of them off: behind one wall stands another."""

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.sandbox import Call, Died, Limits, Outcome, Raised, Returned, Worker, Zygote

if sys.platform != "linux":
    pytest.skip("the layers are Linux's", allow_module_level=True)

ROOT = Path(__file__).parents[2]
MODES = {
    "all on": (),
    "no Landlock": ("landlock",),
    "no namespaces": ("namespaces",),
    "no system-call filter": ("seccomp",),
}
ATTEMPTS = (ROOT / "grader" / "sandbox" / "attempts.py").read_text("utf-8")
Try = Callable[..., Outcome]


@pytest.fixture(params=MODES, scope="module")
def guarded(request: pytest.FixtureRequest, zygote_without: Callable[..., Zygote]) -> Zygote:
    """A zygote with at most one layer off."""
    off = MODES[request.param]
    zygote = zygote_without(*off)
    announced = zygote.announcement()
    if missing := [
        layer for layer in announced.off if layer in ("namespaces", "landlock", "seccomp") and layer not in off
    ]:
        pytest.skip(f"not to be had on this machine: {', '.join(missing)}")
    return zygote


@pytest.fixture
def attempt(guarded: Zygote) -> Iterator[Try]:
    """Call a function of a source text, the probe's attempts by default."""
    opened: list[Worker] = []

    def run(function: str, *args: object, source: str = ATTEMPTS, limits: Limits | None = None) -> Outcome:
        worker = guarded.worker(limits)
        opened.append(worker)
        worker.load({"lab": source})
        return worker.call(Call("lab", function, args))

    yield run
    for worker in opened:
        worker.close()


def refused(outcome: Outcome) -> bool:
    """Whether the system said no."""
    return isinstance(outcome, Raised) and outcome.type_name in (
        "BlockingIOError", "FileNotFoundError", "MemoryError", "NotADirectoryError", "OSError", "PermissionError",
        "ProcessLookupError",
    )  # fmt: skip


def test_a_worker_has_the_layers_that_its_zygote_announced(guarded: Zygote) -> None:
    with guarded.worker() as worker:
        assert set(guarded.announcement().layers) < set(worker.layers)


def test_the_courses_files_cannot_be_read(attempt: Try) -> None:
    source = """
def attack(paths):
    found = []
    for path in paths:
        try: open(path).close()
        except OSError: continue
        found.append(path)
    return found
"""
    names = ("grader/suites/test_normalization.py", "reference/normalization.py", "grader/sandbox/worker.py")
    secret = [ROOT / name for name in (*names, "grader/misconceptions/normalization.py", "lessons/course.yaml")]
    assert all(path.is_file() for path in secret)
    system = ["/etc/passwd", "/proc/self/environ", "/proc/self/maps", "/proc/1/cmdline", "/sys/kernel/notes"]
    assert attempt("attack", [str(path) for path in secret] + system, source=source) == Returned([])


def test_folders_outside_cannot_be_listed(attempt: Try) -> None:
    source = """
import os
def attack(paths):
    found = []
    for path in paths:
        try: found += os.listdir(path)
        except OSError: continue
    return found
"""
    folders = [str(ROOT), str(ROOT / "grader" / "suites"), "/home", "/etc", "/proc/self/fd", "/var", "/proc"]
    outcome = attempt("attack", folders, source=source)
    assert isinstance(outcome, Returned)
    # Of a clone that holds the environment, the way to it is there, and nothing beside it.
    way = {Path(sys.prefix).relative_to(ROOT).parts[0]} if Path(sys.prefix).is_relative_to(ROOT) else set()
    assert set(outcome.value) <= {"ld.so.cache"} | way


def test_torch_and_python_cannot_be_written(attempt: Try) -> None:
    source = """
import os, torch
from pathlib import Path
def attack():
    done = []
    beside = os.path.dirname(torch.__file__) + "/new.py"
    for path in (torch.__file__, os.__file__, beside, "/dev/shm/new", "/new", "/cell/new"):
        for step in (lambda: open(path, "a").close(), lambda: os.chmod(path, 0o777), lambda: os.unlink(path),
                     lambda: os.rename(path, path + "x"), lambda: os.truncate(path, 0), lambda: os.utime(path, (0, 0)),
                     lambda: os.symlink(path, path + "y"), lambda: os.mkdir(path + "z")):
            try: step()
            except OSError: continue
            done.append(path)
    return done
"""
    assert attempt("attack", source=source) == Returned([])


def test_torch_works_and_reads_what_it_needs(attempt: Try) -> None:
    source = """
import importlib, os, tempfile, torch, numpy
MODULES = ("difflib", "fractions", "statistics", "sympy", "torch.func", "numpy.polynomial")
def attack():
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 1))
    model(torch.ones(2, 4)).sum().backward()
    torch.nn.LSTM(3, 4)(torch.ones(2, 1, 3))
    torch.linalg.svd(torch.ones(3, 3)), torch.fft.fft(torch.ones(8)), torch.distributions.Normal(0., 1.).sample()
    torch.set_num_threads(2), torch.ones(400, 400) @ torch.ones(400, 400)
    for name in MODULES: importlib.import_module(name)
    with tempfile.NamedTemporaryFile() as file:
        torch.save(model.state_dict(), file.name)
        torch.load(file.name)
    open(os.devnull, "w").write("x")
    return [len(os.urandom(4)), os.listdir(".")]
"""
    outcome = attempt("attack", source=source, limits=Limits(seconds=60))
    assert isinstance(outcome, Returned), outcome
    assert outcome.value == [4, []]


def test_the_network_cannot_be_reached(attempt: Try) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        assert refused(attempt("connect", listener.getsockname()[1]))
        with pytest.raises(BlockingIOError):
            listener.accept()


@pytest.mark.parametrize("function", ["signal", "hold", "trace", "read_environment"])
def test_other_processes_cannot_be_touched(guarded: Zygote, function: str) -> None:
    with guarded.worker() as sibling, guarded.worker() as worker:
        worker.load({"lab": ATTEMPTS})
        for pid in (os.getpid(), guarded.pid, sibling.pid):
            assert refused(worker.call(Call("lab", function, (pid,))))


KILL_EVERYONE = """
import os, signal
def attack(pids):
    done = []
    for pid in [*pids, os.getppid(), -1]:
        try: os.kill(pid, signal.SIGKILL)
        except OSError: continue
        done.append(pid)
    return done
"""


def test_nobody_can_be_killed(attempt: Try, guarded: Zygote) -> None:
    with guarded.worker() as sibling:
        sibling.load({"lab": "def f(): return 1\n"})
        outcome = attempt("attack", [os.getpid(), guarded.pid, sibling.pid], source=KILL_EVERYONE)
        # Without the filter, what a pid namespace shows as the parent (0) is the worker's own group.
        assert isinstance(outcome, Returned | Died)
        assert isinstance(outcome, Died) or not set(outcome.value) & {os.getpid(), guarded.pid, sibling.pid}
        assert sibling.call(Call("lab", "f")) == Returned(1)
        assert guarded.alive


def test_no_process_outlives_its_worker(guarded: Zygote) -> None:
    """Where forking is possible at all, what was forked goes with the worker."""
    source = "import os, time\ndef f():\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(1000)\n"
    with guarded.worker() as worker:
        worker.load({"lab": source})
        outcome = worker.call(Call("lab", "f"))
        assert refused(outcome) or isinstance(outcome, Returned)
        before = children(guarded.pid)
        assert len(before) >= 1
    for _ in range(200):
        guarded.worker().close()
        if not before & children(guarded.pid):
            break
    assert not before & children(guarded.pid)


def children(pid: int) -> set[int]:
    """All descendants of a process."""
    found, waiting = set[int](), [pid]
    while waiting:
        try:
            text = Path(f"/proc/{waiting[0]}/task/{waiting.pop(0)}/children").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        found |= (new := {int(child) for child in text.split()})
        waiting += new
    return found


def test_programs_cannot_be_started(attempt: Try) -> None:
    assert refused(attempt("start_program"))


def test_memory_and_disk_are_bounded(attempt: Try) -> None:
    limits = Limits(seconds=20, memory_mb=64, scratch_mb=1)
    assert refused(attempt("allocate", 128, limits=limits))
    outcome = attempt("fill_folder", 4, limits=limits)
    assert refused(outcome) or (isinstance(outcome, Died) and outcome.reason == "output")


def test_the_number_of_files_is_bounded(attempt: Try) -> None:
    source = "def attack():\n    for n in range(200): open(f'{n}', 'w').close()\n"
    outcome = attempt("attack", source=source, limits=Limits(scratch_files=100))
    assert refused(outcome) or (isinstance(outcome, Died) and outcome.reason == "output")


def test_siblings_cannot_see_each_others_files(guarded: Zygote) -> None:
    with guarded.worker() as one, guarded.worker() as other:
        one.load(
            {"lab": "import os\ndef f():\n    open('mine', 'w').write('secret')\n    return os.path.abspath('mine')\n"}
        )
        written = one.call(Call("lab", "f"))
        assert isinstance(written, Returned)
        other.load({"lab": ATTEMPTS})
        assert refused(other.call(Call("lab", "read_file", (written.value,))))
        upwards = other.call(Call("lab", "read_file", ("../1/mine",)))
        assert refused(upwards)


def test_forty_system_calls_that_nobody_needs_are_refused(zygote: Zygote) -> None:
    if "seccomp" not in zygote.announcement().layers:
        pytest.skip("no filter here")
    # unshare mount bpf keyctl io_uring userfaultfd perf memfd ptrace setns shmget mq_open personality splice clone ...
    numbers = """272 165 321 250 425 426 323 298 319 101 308 29 240 135 275 161 155 166 248 249 310 311 312 424 434 438
        430 442 444 56 57 58 59 322 41 49 50 42 90 92 175 246 304 163 169"""
    source = f"""
import ctypes
def attack():
    libc = ctypes.CDLL(None, use_errno=True)
    done = []
    for number in {[int(each) for each in numbers.split()]}:
        if libc.syscall(ctypes.c_long(number), *[ctypes.c_long(0)] * 6) != -1 or ctypes.get_errno() not in (1, 38):
            done.append(number)
    return done
"""
    if os.uname().machine != "x86_64":
        pytest.skip("these are x86_64's numbers")
    with zygote.worker() as worker:
        worker.load({"lab": source})
        assert worker.call(Call("lab", "attack")) == Returned([])


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="another architecture's way in, on x86_64")
@pytest.mark.parametrize("way", ["int 0x80", "x32"])
def test_calls_in_the_manner_of_another_architecture_end_the_worker(zygote: Zygote, way: str) -> None:
    source = """
import ctypes, mmap
def attack(way):
    if way == "x32":
        return ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 + 39))
    page = mmap.mmap(-1, 4096, prot=7)
    page.write(bytes([0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3]))
    return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
"""
    with zygote.worker() as worker:
        worker.load({"lab": source})
        outcome = worker.call(Call("lab", "attack", (way,)))
        assert isinstance(outcome, Died)
        assert "SIGSYS" in outcome.detail
