"""The zygote: started beside the grader, gone with the grader, and every worker gone with it."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Timer

import pytest

from grader.sandbox import Call, Died, Limits, Returned, Worker, Zygote, ZygoteDied

OpenWorker = Callable[..., Worker]
Gone = Callable[[int], bool]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def mortal() -> Iterator[Zygote]:
    with Zygote() as started:
        yield started


@pytest.fixture
def own(mortal: Zygote) -> Zygote:
    """A zygote that a test may end; the next test has another in its place."""
    if not mortal.alive:
        mortal.restart()
    return mortal


def test_starting_a_zygote_does_not_wait_for_torch() -> None:
    script = """
import os, signal, sys
from grader.sandbox import Call, Limits, Returned, Zygote
zygote = Zygote()
print('torch' in sys.modules)
os.kill(zygote.pid, signal.SIGKILL)  # `close` would wait for its torch
zygote.close()
"""
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"


def test_layers_are_reported_as_they_are(open_worker: OpenWorker) -> None:
    layers = open_worker("").layers
    assert layers[:4] == ("process-split", "deadlines", "clean-environment", "rlimits")
    assert ("memory-limit" in layers) == (sys.platform == "linux")


def test_eight_workers_live_at_once_and_apart(zygote: Zygote, open_worker: OpenWorker) -> None:
    source = (
        "import os\ndef f(n):\n    open('mine', 'a').write(str(n))\n    return [open('mine').read(), os.listdir('.')]\n"
    )
    workers = [open_worker(source) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda pair: pair[1].call(Call("lab", "f", (pair[0],))), enumerate(workers)))
    assert outcomes == [Returned([str(number), ["mine"]]) for number in range(8)]
    workers[0].close()
    assert workers[1].call(Call("lab", "f", (1,))) == Returned(["11", ["mine"]])


def test_a_workers_folder_goes_with_it(zygote: Zygote, gone: Gone) -> None:
    worker = zygote.worker()
    worker.load({"lab": "import os\ndef f():\n    os.makedirs('a/b')\n    return os.getcwd()\n"})
    outcome = worker.call(Call("lab", "f"))
    assert isinstance(outcome, Returned)
    handle = os.pidfd_open(worker.pid)
    worker.close()
    assert gone(handle)
    folder, end = Path(outcome.value), time.monotonic() + 10
    while folder.exists() and time.monotonic() < end:
        zygote.worker().close()  # folders are cleared away when there is work to do anyway
    assert not folder.exists()


def test_closing_a_zygote_ends_its_workers_and_removes_its_folder(own: Zygote, gone: Gone) -> None:
    worker = own.worker()
    worker.load({"lab": "import os\ndef f(): return os.getcwd()\n"})
    outcome = worker.call(Call("lab", "f"))
    handle = os.pidfd_open(worker.pid)
    own.close()
    assert isinstance(outcome, Returned)
    assert gone(handle)
    assert not Path(outcome.value).parent.exists()
    worker.close()


def test_a_zygote_that_dies_is_noticed_and_takes_its_workers_along(own: Zygote, gone: Gone) -> None:
    idle, busy = own.worker(), own.worker()
    handles = [os.pidfd_open(worker.pid) for worker in (idle, busy)]
    end = os.pidfd_open(own.pid)
    busy.load({"lab": "def f():\n    while True: pass\n"})
    Timer(0.2, os.kill, (own.pid, signal.SIGKILL)).start()
    with pytest.raises(ZygoteDied):
        busy.call(Call("lab", "f", deadline=60))
    assert all(gone(handle) for handle in (*handles, end))
    assert not own.alive
    with pytest.raises(ZygoteDied):
        own.worker()
    idle.close()


def test_a_zygote_outlives_the_thread_that_started_it() -> None:
    with ThreadPoolExecutor(1) as pool:
        started = pool.submit(Zygote).result()
    with started as own, own.worker() as worker:
        worker.load({"lab": "def f(): return 1\n"})
        assert worker.call(Call("lab", "f")) == Returned(1)


def test_a_zygote_that_cannot_start_says_why() -> None:
    with (
        Zygote(preload=("no_such_module",)) as own,
        pytest.raises(ZygoteDied, match="No module named 'no_such_module'"),
    ):
        own.worker()


KILLED = """
import sys
from concurrent.futures import ThreadPoolExecutor
from grader.sandbox import Call, Zygote
with ThreadPoolExecutor(1) as pool:  # as a desk starts its own: the kernel ties it to nobody
    others = pool.submit(Zygote), pool.submit(Zygote, without=frozenset({'namespaces'}))
zygote = Zygote()
writer = others[1].result().worker()
writer.load({'lab': "def f(): open('mine', 'w').write('x')"})
writer.call(Call('lab', 'f'))
others[0].result().wait_until_ready()
workers = [zygote.worker() for _ in range(3)]
print(zygote.pid, *(other.result().pid for other in others), *(worker.pid for worker in workers), flush=True)
workers[0].load({'lab': '''
import signal
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}: signal.signal(number, signal.SIG_IGN)
def f():
    print('spinning')
    while True: pass
'''})
workers[0].call(Call('lab', 'f', deadline=1000))
"""


def test_killing_the_grader_leaves_no_process_and_no_folder(gone: Gone) -> None:
    with tempfile.TemporaryDirectory() as own:
        folder = Path(own)
        folder.chmod(0o711)  # one of the workers is somebody else
        environment = {**os.environ, "TMPDIR": own}
        with subprocess.Popen(
            [sys.executable, "-c", KILLED], cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment
        ) as grader:
            assert grader.stdout is not None
            handles = [os.pidfd_open(int(pid)) for pid in grader.stdout.readline().split()]
            made = list(folder.glob("anatomy-*"))
            grader.send_signal(signal.SIGKILL)
        assert (len(handles), len(made)) == (6, 3)
        assert all(gone(handle) for handle in handles)
        end = time.monotonic() + 10
        while any(folder.iterdir()) and time.monotonic() < end:  # the guardians see the end a moment later
            time.sleep(0.01)
        assert not list(folder.iterdir())


def test_a_zygote_that_cannot_be_started_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("grader.sandbox.zygote.start_zygote", fails)
    with pytest.raises(OSError, match="no more processes"):
        Zygote()
    assert not list(tmp_path.iterdir())


def test_a_worker_that_was_killed_is_told_from_one_that_hangs(open_worker: OpenWorker, gone: Gone) -> None:
    worker = open_worker("def f(): return 1\n")
    handle = os.pidfd_open(worker.pid)
    os.kill(worker.pid, signal.SIGKILL)
    assert gone(handle)
    outcome = worker.call(Call("lab", "f"))
    assert isinstance(outcome, Died)
    assert outcome.detail.startswith("It was ended by the system")


def test_a_zygote_in_place_of_one_that_died_makes_workers_again(own: Zygote, gone: Gone) -> None:
    lost, before, generation = own.worker(), own.announcement(), own.generation
    end = os.pidfd_open(own.pid)
    os.kill(own.pid, signal.SIGKILL)
    assert gone(end)
    own.restart()
    lost.close()
    with own.worker() as worker:
        worker.load({"lab": "def f(): return 1\n"})
        assert worker.call(Call("lab", "f")) == Returned(1)
    assert (own.announcement(), own.generation) == (before, generation + 1)


def test_a_worker_made_ahead_is_the_next_one(zygote: Zygote) -> None:
    limits = Limits(seconds=3)
    zygote.prepare(limits)
    zygote.prepare(limits)
    with zygote.worker(limits) as first, zygote.worker(limits) as second:
        assert first.pid != second.pid
        assert first.limits == second.limits == limits
        first.load({"lab": "def f():\n    return 1\n"})
        assert first.call(Call("lab", "f")) == Returned(1)


def test_a_worker_made_ahead_with_other_limits_is_dropped(zygote: Zygote) -> None:
    zygote.prepare(Limits(seconds=3))
    with zygote.worker(Limits(seconds=5)) as worker:
        assert worker.limits.seconds == 5


def test_a_worker_made_ahead_by_a_zygote_that_died_is_dropped(own: Zygote) -> None:
    own.prepare()
    own.restart()
    with own.worker() as worker:
        worker.load({"lab": "def f():\n    return 1\n"})
        assert worker.call(Call("lab", "f")) == Returned(1)


def test_a_worker_made_ahead_that_nobody_takes_ends_with_its_zygote(own: Zygote) -> None:
    own.prepare()
    assert own._ahead is not None
    made = own._ahead.worker.result()
    own.close()
    assert not made.alive
