"""Time: whatever never ends is ended, and the grader's own clock is the only one that counts."""

import time

import pytest

from grader.sandbox import Call, Died, Limits, Raised, Returned

MOMENT = Limits(seconds=0.2)

ENDLESS = {
    "a loop": "def attack():\n    while True: pass\n",
    "a loop in C that holds the interpreter": "import ctypes\ndef attack(): ctypes.PyDLL(None).sleep(1000)\n",
    "a product without end": "import torch\ndef attack(): return torch.matrix_power(torch.ones(1500, 1500), 2**60 - 1)\n",
    "a loop that ignores every signal and exception": """
        import signal, time
        def attack():
            for number in range(1, 65):
                try: signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError): pass
            while True:
                try:
                    while True: time.sleep(1)
                except BaseException: pass
    """,
    "signals that call for more": """
        import signal, time
        def attack():
            signal.signal(signal.SIGALRM, lambda *_: signal.setitimer(signal.ITIMER_REAL, 0.001))
            signal.signal(signal.SIGTERM, lambda *_: time.sleep(1000))
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            while True: time.sleep(0.0001)
    """,
    "stopping itself": "import os, signal\ndef attack():\n    os.kill(os.getpid(), signal.SIGSTOP)\n    while True: pass\n",
    "a deadlock": "import threading\ndef attack():\n    lock = threading.Lock()\n    lock.acquire()\n    lock.acquire()\n",
    "threads that burn": """
        import threading, torch
        def attack():
            torch.set_num_threads(2)
            square = torch.randn(1000, 1000)
            def burn():
                while True: square @ square
            for _ in range(3): threading.Thread(target=burn, daemon=True).start()
            burn()
    """,
    "a message that is never finished": """
        class Endless(Exception):
            def __str__(self):
                while True: pass
        def attack(): raise Endless
    """,
    "an object that is never deleted": """
        class Endless:
            def __del__(self):
                while True: pass
        def attack():
            Endless()
            return 1
    """,
    "garbage that fights back": """
        import gc
        class Endless:
            def __init__(self): self.me = self
            def __del__(self): [Endless() for _ in range(2)]; gc.collect()
        def attack():
            gc.callbacks.append(lambda *_: gc.collect())
            Endless()
            while True: gc.collect()
    """,
    "a backward pass without end": """
        import torch
        class Endless(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): return x.clone()
            @staticmethod
            def backward(ctx, grad):
                while True: pass
        def attack():
            x = torch.ones(2, requires_grad=True)
            Endless.apply(x).sum().backward()
    """,
    "a type that is never told": """
        class Endless(type):
            @property
            def __module__(cls):
                while True: pass
        class Odd(metaclass=Endless): pass
        def attack(): return Odd()
    """,
    "a pattern that never fails": "import re\ndef attack(): return re.match(r'(a+)+$', 'a' * 60 + 'b')\n",
    "a tracer": """
        import sys, time
        def attack():
            sys.setswitchinterval(1000)
            sys.settrace(lambda *_: time.sleep(1000))
            attack.__doc__
            (lambda: None)()
    """,
    "imports that wait for each other": """
        import sys, threading
        def attack():
            class Finder:
                def find_spec(self, *_): threading.Event().wait()
            sys.meta_path.insert(0, Finder())
            import something
    """,
}


@pytest.mark.parametrize("source", ENDLESS.values(), ids=ENDLESS)
def test_what_never_ends_is_ended_in_time(cage, source):
    started = time.monotonic()
    outcome = cage.run(source, limits=MOMENT)
    assert time.monotonic() - started < 5
    assert isinstance(outcome, Died), outcome
    assert outcome.reason in ("timeout", "memory")


def test_a_clock_of_the_attackers_own_moves_nothing(cage):
    source = """
        import time
        time.monotonic = time.time = time.perf_counter = lambda: 0.0
        time.sleep = lambda _: None
        def attack():
            while time.monotonic() < 1: pass
    """
    outcome = cage.run(source, limits=MOMENT)
    assert isinstance(outcome, Died)
    assert outcome.reason == "timeout"


def test_many_short_calls_back_share_one_deadline(cage):
    """Each takes a tenth of the time that there is; together they have no more than all of it."""
    source = """
        import time
        def attack(function):
            while True:
                time.sleep(0.02)
                function()
    """
    calls = []
    with cage.open(source, MOMENT) as worker:
        outcome = worker.call(Call("lab", "attack", (lambda: calls.append(1),)))
    assert isinstance(outcome, Died)
    assert outcome.reason == "timeout"
    assert len(calls) <= 11


def test_the_time_that_the_grader_takes_is_not_the_workers(cage):
    with cage.open("def attack(function): return function()\n", MOMENT) as worker:
        assert worker.call(Call("lab", "attack", (lambda: time.sleep(0.6),))) == Returned(None)


def test_calls_back_are_counted(cage):
    source = "def attack(function):\n    while True: function()\n"
    with cage.open(source, Limits(seconds=20, callbacks=50)) as worker:
        outcome = worker.call(Call("lab", "attack", (lambda: None,)))
    assert isinstance(outcome, Died)
    assert "more than 50 calls" in outcome.detail


def test_calls_back_that_call_back_end(cage):
    """The attacker hands over a function that asks for itself to be called."""
    source = """
        def attack(apply):
            def again(): return apply(again)
            return again()
    """
    with cage.open(source, Limits(seconds=5)) as worker:
        outcome = worker.call(Call("lab", "attack", (lambda function: function(),)))
    assert isinstance(outcome, Raised | Died)


def test_an_answer_at_the_last_moment_buys_no_time_for_the_next(cage):
    source = """
        import time
        def attack():
            time.sleep(0.13)
            return 1
    """
    with cage.open(source, MOMENT) as worker:
        started = time.monotonic()
        outcomes = [worker.call(Call("lab", "attack")) for _ in range(2)]
        assert time.monotonic() - started < 3
    assert all(outcome == Returned(1) or isinstance(outcome, Died) for outcome in outcomes)
