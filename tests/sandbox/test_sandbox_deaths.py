"""Code that exits, hangs, floods or eats memory costs its own worker and nothing else."""

import os
import signal
from collections.abc import Callable

import pytest

from grader.sandbox import Call, Died, Limits, Outcome, Raised, Returned, Worker

Ask = Callable[..., Outcome]
OpenWorker = Callable[..., Worker]
SHORT = Limits(seconds=0.3)


def died(outcome: Outcome) -> Died:
    assert isinstance(outcome, Died), outcome
    return outcome


ENDLESS = {
    "loop": "def attack():\n    while True: pass",
    "loop that swallows": """
def attack():
    while True:
        try:
            while True: pass
        except BaseException: pass
""",
    "ignores signals": """
import signal, time
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}: signal.signal(number, signal.SIG_IGN)
def attack(): time.sleep(1000)
""",
    "holds the GIL": "import ctypes\ndef attack(): ctypes.PyDLL(None).sleep(1000)",
    "deadlock": "import threading\ndef attack():\n    lock = threading.Lock()\n    lock.acquire()\n    lock.acquire()",
    "torch": "import torch\ndef attack(): return torch.matrix_power(torch.ones(2000, 2000), 2**60 - 1)",
    "message": "class Bad(Exception):\n    def __str__(self):\n        while True: pass\ndef attack(): raise Bad",
}


@pytest.mark.parametrize("source", ENDLESS.values(), ids=ENDLESS.keys())
def test_what_never_ends_is_killed_at_the_deadline(ask: Ask, source: str) -> None:
    outcome = died(ask(source, limits=SHORT))
    assert (outcome.reason, outcome.detail) == ("timeout", "It did not finish within 0.3 s.")


def test_what_a_function_printed_before_it_hung_is_kept(ask: Ask) -> None:
    outcome = died(ask("def attack():\n    print('so far')\n    while True: pass\n", limits=SHORT))
    assert outcome.output == "so far\n"


def test_a_call_may_have_a_deadline_of_its_own(open_worker: OpenWorker) -> None:
    worker = open_worker("def f():\n    while True: pass\n")
    assert died(worker.call(Call("lab", "f", deadline=0.1))).detail == "It did not finish within 0.1 s."


def test_processor_time_is_bounded_over_a_whole_life(open_worker: OpenWorker) -> None:
    worker = open_worker("def f():\n    while True: pass\n", Limits(seconds=0.01))
    outcome = died(worker.call(Call("lab", "f", deadline=60)))
    assert (outcome.reason, outcome.detail) == ("timeout", "It used up the processor time of a whole submission.")


@pytest.mark.parametrize("code", [0, 1, 77])
def test_ending_the_process_is_a_crash_whatever_the_code(ask: Ask, code: int) -> None:
    outcome = died(ask(f"import os\ndef attack(): os._exit({code})\n"))
    assert (outcome.reason, outcome.detail) == ("crashed", f"It ended the whole process with exit code {code}.")


def test_ending_the_process_at_import_is_a_crash(open_worker: OpenWorker) -> None:
    worker = open_worker("import os\nos._exit(0)\n")
    assert died(worker.open_module("lab")).reason == "crashed"
    assert not worker.alive
    with pytest.raises(ValueError, match="has ended"):
        worker.open_module("lab")


@pytest.mark.parametrize("statement", ["sys.exit()", "sys.exit(0)", "raise KeyboardInterrupt", "raise SystemExit('x')"])
def test_asking_to_exit_is_an_exception_like_any_other(open_worker: OpenWorker, statement: str) -> None:
    worker = open_worker(f"import sys\ndef attack(): {statement}\ndef fine(): return 1\n")
    outcome = worker.call(Call("lab", "attack"))
    assert isinstance(outcome, Raised)
    assert outcome.type_name in ("SystemExit", "KeyboardInterrupt")
    assert worker.call(Call("lab", "fine")) == Returned(1)


def test_asking_to_exit_at_import_is_an_exception_too(open_worker: OpenWorker) -> None:
    outcome = open_worker("import sys\nsys.exit(0)\n").open_module("lab")
    assert isinstance(outcome, Raised)
    assert (outcome.type_name, outcome.line) == ("SystemExit", 2)


RECURSION_IN_C = """
import sys
class Endless:
    def __repr__(self): return repr([self])
def attack():
    sys.setrecursionlimit(10**9)
    repr(Endless())
"""


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import ctypes\ndef attack(): ctypes.string_at(0)", "SIGSEGV"),
        (RECURSION_IN_C, "SIGSEGV"),
    ],
    ids=["null pointer", "stack"],
)
def test_crashes_name_their_signal(ask: Ask, source: str, name: str) -> None:
    outcome = died(ask(source, limits=Limits(seconds=20)))
    assert outcome.reason == "crashed"
    assert name in outcome.detail


def test_aborting_is_a_crash(ask: Ask) -> None:
    assert died(ask("import os\ndef attack(): os.abort()\n")).reason == "crashed"


def test_aborting_for_want_of_memory_is_told_as_such(ask: Ask) -> None:
    source = "import os\ndef attack():\n    print('what(): std::bad_alloc', flush=True)\n    os.abort()\n"
    assert died(ask(source)).reason == "memory"


def test_being_killed_from_outside_counts_as_want_of_memory(open_worker: OpenWorker) -> None:
    worker = open_worker("def f(): return 1\n")
    os.kill(worker.pid, signal.SIGKILL)
    assert died(worker.call(Call("lab", "f"))).reason == "memory"


def test_a_worker_has_no_signals_for_itself_that_stop_it(open_worker: OpenWorker) -> None:
    worker = open_worker("import os, signal\ndef f():\n    os.kill(os.getpid(), signal.SIGSTOP)\n    return 1\n")
    assert worker.call(Call("lab", "f")) == Returned(1)


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ndef attack():\n    kept = []\n    while True: kept.append(torch.ones(16 << 20))",
        "def attack():\n    kept = []\n    while True: kept.append(bytearray(b'x') * (16 << 20))",
        "def attack():\n    kept = []\n    while True: kept.append([0] * (1 << 20))",
        "import torch\ndef attack(): return torch.ones(10 << 30, dtype=torch.uint8)",
        "def attack(): return bytes(10 << 30)",
    ],
    ids=["tensors", "bytes", "lists", "ten GB of tensor", "ten GB of bytes"],
)
def test_eating_memory_ends_as_an_exception_and_the_worker_answers_on(open_worker: OpenWorker, source: str) -> None:
    worker = open_worker(source + "\ndef fine(): return 1\n", Limits(seconds=20, memory_mb=256))
    outcome = worker.call(Call("lab", "attack"))
    assert isinstance(outcome, Raised), outcome
    assert outcome.is_memory
    assert worker.call(Call("lab", "fine")) == Returned(1)


def test_eating_memory_in_shared_mappings_is_bounded_too(ask: Ask) -> None:
    source = "import mmap\ndef attack():\n    kept = []\n    while True: kept.append(mmap.mmap(-1, 64 << 20))\n"
    outcome = ask(source, limits=Limits(seconds=20, memory_mb=256))
    assert isinstance(outcome, Raised)
    assert outcome.type_name == "OSError"


def test_small_objects_without_end_do_not_hurt_the_grader(ask: Ask) -> None:
    source = "def attack():\n    kept = None\n    while True: kept = (kept, 1.5)\n"
    outcome = ask(source, limits=Limits(seconds=20, memory_mb=64))
    assert isinstance(outcome, Raised | Died)
    assert outcome.is_memory if isinstance(outcome, Raised) else outcome.reason in ("memory", "crashed")


def test_a_thousand_prints_are_no_crime(ask: Ask) -> None:
    outcome = ask("def attack():\n    for n in range(1000): print(n)\n    return 7\n")
    assert isinstance(outcome, Returned)
    assert outcome.value == 7
    assert outcome.output.splitlines() == [str(n) for n in range(1000)]


def test_printing_without_end_is_stopped(ask: Ask) -> None:
    outcome = died(
        ask("import os\ndef attack():\n    while True: os.write(1, b'x' * 65536)\n", limits=Limits(seconds=60))
    )
    assert outcome.reason == "output"
    assert len(outcome.output) < 70_000


def test_a_thread_that_prints_without_end_is_stopped(open_worker: OpenWorker) -> None:
    worker = open_worker(
        """
        import os, threading
        def run():
            while True: os.write(1, b'x' * 65536)
        def f():
            threading.Thread(target=run, daemon=True).start()
            while True: pass
        """,
        Limits(seconds=60),
    )
    assert died(worker.call(Call("lab", "f"))).reason == "output"


def test_threads_left_running_do_not_keep_a_worker(open_worker: OpenWorker) -> None:
    worker = open_worker(
        """
        import threading
        def f():
            for _ in range(5): threading.Thread(target=threading.Event().wait).start()
            return threading.active_count()
        """
    )
    assert worker.call(Call("lab", "f")) == Returned(6)
    assert worker.call(Call("lab", "f")) == Returned(11)


def test_exit_handlers_never_run(open_worker: OpenWorker) -> None:
    worker = open_worker("import atexit, os\ndef f(): atexit.register(os._exit, 5)\n")
    assert worker.call(Call("lab", "f")) == Returned(None)


def test_standard_input_is_empty(ask: Ask) -> None:
    assert ask("import sys\ndef attack(): return sys.stdin.read()\n") == Returned("")
    outcome = ask("def attack(): return input()\n")
    assert isinstance(outcome, Raised)
    assert outcome.type_name == "EOFError"


@pytest.mark.parametrize(
    "statement",
    ["sys.stdout.close()", "sys.stdout = None", "del sys.stdout", "sys.stdout = object()", "os.close(1)"],
)
def test_spoiling_standard_output_spoils_only_the_output(open_worker: OpenWorker, statement: str) -> None:
    worker = open_worker(f"import os, sys\ndef f():\n    {statement}\n    return 1\n")
    assert worker.call(Call("lab", "f")) == Returned(1)
    assert worker.alive


def test_an_exception_with_a_vast_message_is_cut(ask: Ask) -> None:
    outcome = ask("class Bad(Exception):\n    def __str__(self): return 'x' * (50 << 20)\ndef attack(): raise Bad\n")
    assert isinstance(outcome, Raised)
    assert outcome.message == "x" * 1000


def test_an_exception_that_cannot_be_shown_is_told_without_its_message(ask: Ask) -> None:
    outcome = ask("class Bad(Exception):\n    def __str__(self): return 1 / 0\ndef attack(): raise Bad\n")
    assert isinstance(outcome, Raised)
    assert (outcome.type_name, outcome.message) == ("Bad", "(its message cannot be shown)")


def test_python_recursion_without_end_is_a_recursion_error_with_a_short_trace(ask: Ask) -> None:
    outcome = ask("def attack(): return attack()\n")
    assert isinstance(outcome, Raised)
    assert outcome.type_name == "RecursionError"
    assert len(outcome.trace.splitlines()) < 20


def test_files_are_bounded_in_size_and_number(ask: Ask) -> None:
    source = """
def attack():
    found = []
    for what in (lambda: open('big', 'wb').write(bytes(2 << 20)), lambda: [open('/dev/null') for _ in range(100)]):
        try: what()
        except OSError as error: found.append(error.strerror)
    return found
"""
    outcome = ask(source, limits=Limits(file_mb=1, open_files=32))
    assert outcome == Returned(["File too large", "Too many open files"])
