"""The channel: whatever a worker writes to it is an answer of its own or its end, and never another's answer."""

import textwrap
import time

import pytest

from grader.sandbox import Call, Died, Limits, NotAValue, Raised, Returned
from grader.sandbox.inside.codec import CannotCross
from grader.sandbox.inside.encoder import Encoder

LONG = Limits(seconds=5.0)

BAD_FRAMES = {
    "another magic": "forge(magic=b'evil')",
    "a length of 2**63": "forge(length=1 << 63)",
    "a length over the limit": "forge(length=1 << 30)",
    "no such kind": "forge(kind=77)",
    "another id": "forge(number=9)",
    "a greeting in place of an answer": "forge(kind=2)",
    "a question in place of an answer": "forge(kind=5)",
    "the end of a module in place of an answer": "forge(kind=6, payload=b'N')",
    "an exception of the wrong shape": "forge(kind=8, payload=b'N')",
    "an exception whose line is a text": "forge(kind=8, payload=b't\\x08\\0\\0\\0' + b's\\0\\0\\0\\0' * 5 + b'FFF')",
    "a description that is a list": "forge(kind=9, payload=b'l\\0\\0\\0\\0')",
    "the result of a call that nobody made": "forge(kind=12, payload=b'N')",
    "a failure that nobody asked for": "forge(kind=13, payload=b'N')",
    "a call of a function that was never given": "forge(kind=10, payload=b't\\4\\0\\0\\0i' + bytes(8) + b'Tt\\0\\0\\0\\0d\\0\\0\\0\\0')",
    "a call of function number -1": "forge(kind=10, payload=b't\\4\\0\\0\\0i' + b'\\xff' * 8 + b'Tt\\0\\0\\0\\0d\\0\\0\\0\\0')",
    "the gradient of no call": "forge(kind=11, payload=b't\\2\\0\\0\\0i' + bytes(8) + b'l\\0\\0\\0\\0')",
    "nothing at all": "forge(payload=b'')",
    "two values": "forge(payload=b'NN')",
    "a pickle": "forge(payload=b\"\\x80\\x04cos\\nsystem\\n(S'id'\\ntR.\")",
    "nesting of 100,000": "forge(payload=b'l\\1\\0\\0\\0' * 100000 + b'N')",
    "a count of 2**32 - 1": "forge(payload=b'l\\xff\\xff\\xff\\xff')",
    "a million values": "forge(payload=b'l' + struct.pack('<I', 1000000) + b'N' * 1000000)",
    "dimensions that overflow": "forge(payload=body(b'X\\0\\0\\3' + struct.pack('<3Q', 2**33, 2**33, 2**33)))",
    "no elements, vast dimensions": "forge(payload=body(b'X\\0\\0\\2' + struct.pack('<2Q', 0, 2**63)))",
    "255 dimensions": "forge(payload=body(b'X\\0\\0\\xff' + bytes(8 * 255)))",
    "a tensor longer than its bytes": "forge(payload=body(b'X\\0\\0\\1' + struct.pack('<Q', 1000) + b'1234'))",
    "a bool that is 7": "forge(payload=body(b'X\\x09\\0\\1' + struct.pack('<Q', 1) + b'\\7'))",
    "a key that is a list": "forge(payload=body(b'd\\1\\0\\0\\0l\\0\\0\\0\\0N'))",
    "a key twice": "forge(payload=body(b'd\\2\\0\\0\\0' + b'\\1\\0\\0\\0aN' * 2))",
    "a text that is not UTF-8": "forge(payload=body(b's\\1\\0\\0\\0\\xff'))",
    "a function of the grader's that it never got": "forge(payload=body(b'h\\1' + struct.pack('<Q', 5) + bytes(4)))",
    "gradients that are texts": "forge(payload=b't\\5\\0\\0\\0N' + b'l\\1\\0\\0\\0s\\0\\0\\0\\0' + b'l\\0\\0\\0\\0Fl\\0\\0\\0\\0')",
    "more gradients than asked": "forge(payload=b't\\5\\0\\0\\0N' + b'l\\1\\0\\0\\0N' + b'l\\0\\0\\0\\0Fl\\0\\0\\0\\0')",
    "an effect that is a number": "forge(payload=b't\\5\\0\\0\\0NN' + b'l\\0\\0\\0\\0F' + b'l\\1\\0\\0\\0T')",
    "random bytes": "raw(os.urandom(4096))",
    "text": 'raw(b\'{"verdict": "passed"}\' * 10)',
    "two answers": "raw(2 * frame())",
    "an answer and half of one more": "raw(frame() + frame()[:30])",
    "half an answer, then the end": "raw(frame()[:30]); os._exit(0)",
    "half an answer, then silence": "raw(frame()[:30])",
    "the end of writing": "import socket; socket.socket(fileno=3).shutdown(socket.SHUT_WR)",
    "the end of reading, then a flood": "import socket; socket.socket(fileno=os.dup(3)).shutdown(socket.SHUT_RD); raw(bytes(1 << 20))",
}


@pytest.mark.parametrize("statement", BAD_FRAMES.values(), ids=BAD_FRAMES)
def test_a_frame_that_no_honest_worker_sends_is_its_last(cage, statement):
    source = f"from .tools import *\ndef attack():\n    {statement}\n    time.sleep(60)\n"
    outcome = cage.run(source, limits=Limits(seconds=0.5))
    assert isinstance(outcome, Died), outcome


def test_a_forged_answer_is_the_attackers_own_answer_and_nothing_more(cage):
    outcome = cage.run("from .tools import *\ndef attack():\n    forge()\n    time.sleep(60)\n")
    assert outcome == Returned("forged")


HONEST = "\ndef honest(): return 'honest'\n"
AHEAD = {
    "with the ids that come next": """
        def attack():
            here = call_id()
            raw(frame(body(b"N")))
            for step in range(1, 200):
                forge(number=here + step)
    """,
    "by a thread that waits": """
        import threading
        def attack():
            here = call_id()
            def later():
                time.sleep(0.05)
                forge(number=here)
            threading.Thread(target=later).start()
    """,
    "by a thread that writes on and on": """
        import threading
        def attack():
            here = call_id()
            def on_and_on():
                while True:
                    forge(number=here)
            threading.Thread(target=on_and_on, daemon=True).start()
            time.sleep(0.02)
    """,
    "when it is deleted": """
        class Last:
            def __del__(self):
                os.write(3, frame(number=1))
        kept = [Last()]
        def attack():
            kept.clear()
    """,
    "in what it prints": """
        def attack():
            os.dup2(3, 1)
            os.dup2(3, 2)
            print("so far so good", flush=True)
    """,
    "by a handler of a signal": """
        import signal
        def attack():
            signal.signal(signal.SIGALRM, lambda *_: os.write(3, b"now"))
            signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    """,
}


@pytest.mark.parametrize("source", AHEAD.values(), ids=AHEAD)
def test_an_answer_sent_ahead_never_answers_the_next_call(cage, source):
    with cage.open("from .tools import *\n" + textwrap.dedent(source) + HONEST) as worker:
        worker.call(Call("lab", "attack"))
        while worker.alive:
            outcome = worker.call(Call("lab", "honest"))
            assert outcome == Returned("honest") or isinstance(outcome, Died)
            time.sleep(0.02)


def test_a_thread_that_steals_the_next_question_gains_nothing(cage):
    source = """
        from .tools import *
        import threading
        def attack():
            threading.Thread(target=lambda: os.read(3, 10), daemon=True).start()
        def honest(): return "honest"
    """
    with cage.open(source, Limits(seconds=0.5)) as worker:
        worker.call(Call("lab", "attack"))
        outcome = worker.call(Call("lab", "honest"))
    assert outcome == Returned("honest") or isinstance(outcome, Died)


def test_two_threads_that_write_at_once_spoil_only_their_own_answer(cage):
    source = """
        from .tools import *
        import threading
        def attack():
            whole = frame()
            for part in (whole, whole[:20], whole[5:]):
                threading.Thread(target=raw, args=(part,)).start()
            time.sleep(60)
    """
    outcome = cage.run(source, limits=Limits(seconds=0.5))
    assert outcome == Returned("forged") or isinstance(outcome, Died)


def test_a_drip_meets_the_deadline(cage):
    source = """
        from .tools import *
        def attack():
            for byte in frame(payload=bytes(100_000)):
                raw(bytes([byte]))
                time.sleep(0.01)
    """
    outcome = cage.run(source, limits=Limits(seconds=0.3))
    assert isinstance(outcome, Died)
    assert outcome.reason == "timeout"


def test_closing_everything_and_running_on_ends_the_worker(cage):
    outcome = cage.run("import os\ndef attack():\n    os.closerange(0, 64)\n    while True: pass\n", limits=LONG)
    assert isinstance(outcome, Died)
    assert outcome.reason == "protocol"


def test_descriptors_that_are_sent_along_are_not_taken(cage):
    source = """
        import array, os, socket, time
        def attack():
            channel = socket.socket(fileno=os.dup(3))
            for _ in range(5):
                channel.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 40))])
            time.sleep(60)
    """
    assert isinstance(cage.run(source), Died)


def test_only_four_descriptors_are_open_and_writing_to_them_all_earns_an_end(cage):
    outcome = cage.run("""
        import os
        def attack():
            return [number for number in range(3000) if is_open(number)]
        def is_open(number):
            try:
                os.fstat(number)
            except OSError:
                return False
            return True
    """)
    assert outcome == Returned([0, 1, 2, 3])
    garbage = """
        import os, time
        def attack():
            for number in range(64):
                try: os.write(number, b'{"verdict": "passed"}' * 10)
                except OSError: pass
            return 1
    """
    assert isinstance(cage.run(garbage), Died)


def test_games_with_blocking_change_nothing(cage):
    outcome = cage.run("""
        import os
        def attack():
            os.set_blocking(3, False)
            os.set_blocking(1, False)
            return 5
    """)
    assert isinstance(outcome, Returned | Died)
    assert not isinstance(outcome, Returned) or outcome.value == 5


PATCHED = {
    "the encoder": "anatomy_worker.encoder.Encoder.encode = lambda self, value: FORGED",
    "the pipe": "anatomy_worker.pipe.Pipe.send = lambda self, kind, number, content: raw(frame(FORGED, 7, number))",
    "the server": "anatomy_worker.worker._Server._call = lambda self, *rest: (7, FORGED)",
    "the caller": "anatomy_worker.calling.Caller.call = lambda self, *rest: ('forged', None, [], False, [])",
    "struct": "struct.pack = lambda *_: b''",
    "bytes.join": "import builtins; builtins.type = builtins.bytes = lambda *_: None",
}


@pytest.mark.parametrize("patch", PATCHED.values(), ids=PATCHED)
def test_a_worker_whose_own_modules_are_patched_can_only_answer_for_itself(cage, patch):
    source = f"""
        from .tools import *
        import sys
        anatomy_worker = sys.modules["anatomy_worker"]
        for name in ("encoder", "pipe", "worker", "calling"):
            setattr(anatomy_worker, name, sys.modules["anatomy_worker." + name])
        {patch}
        def attack(): return "honest"
    """
    outcome = cage.run(source)
    assert outcome in (Returned("forged"), Returned("honest")) or isinstance(outcome, Died | Raised | NotAValue)


ODD_VALUES = {
    "a list that holds itself": "held = []\n    held.append(held)\n    return held",
    "a list a million deep": "held = []\n    for _ in range(10**6): held = [held]\n    return held",
    "a number of 5,000 digits": "return 10 ** 5000",
    "an object that is a recipe": "return type('X', (), {'__reduce__': lambda self: (print, ('run',))})()",
    "a set": "return {1, 2}",
    "a generator": "return (each for each in range(3))",
    "a dict with a tuple as its key": "return {(1, 2): 3}",
    "a lone surrogate": "return '\\ud800'",
    "a list that walks differently": "return type('L', (list,), {'__iter__': lambda self: iter('no')})([object()])",
}


@pytest.mark.parametrize("lines", ODD_VALUES.values(), ids=ODD_VALUES)
def test_odd_values_are_named_and_do_not_cross(cage, lines):
    assert isinstance(cage.run(f"def attack():\n    {lines}\n", limits=LONG), NotAValue)


def test_what_is_sent_to_a_worker_is_plain(cage):
    """The grader's own objects do not go out by accident."""
    with pytest.raises(CannotCross):
        Encoder().encode(cage)
