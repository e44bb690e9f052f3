"""A learner's code owns its worker, and can reach neither the grader's judgement nor its secrets from there."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import torch

from grader.sandbox import Call, Died, Limits, Outcome, Raised, Returned, Worker

Ask = Callable[..., Outcome]
OpenWorker = Callable[..., Worker]

FORGER = """
import os, struct, sys, time
HEADER = struct.Struct('<4sIQQ')
RETURNED, INVOKE = 7, 10
def raw(data):
    while data: data = data[os.write(3, data):]
def current():
    frame = sys._getframe()
    while 'frame' not in frame.f_locals or not hasattr(frame.f_locals['frame'], 'call_id'): frame = frame.f_back
    return frame.f_locals['frame'].call_id
def body(text):
    value = b's' + struct.pack('<I', len(text)) + text
    return b't' + struct.pack('<I', 5) + value + b'N' + b'l' + bytes(4) + b'F' + b'l' + bytes(4)
def frame(payload=body(b'forged'), kind=RETURNED, call_id=None, magic=b'\\xabSbx', length=None):
    call_id = current() if call_id is None else call_id
    return HEADER.pack(magic, kind, call_id, len(payload) if length is None else length) + payload
def send(*args, **kwargs): raw(frame(*args, **kwargs))
"""


def protocol(outcome: Outcome) -> str:
    assert isinstance(outcome, Died), outcome
    assert outcome.reason == "protocol", outcome
    return outcome.detail


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("raw(os.urandom(4096))", "not a frame"),
        ("send(magic=b'evil')", "not a frame"),
        ("send(kind=77)", "no frame of kind 77"),
        ("send(length=2**63)", "over the limit"),
        ("send(length=1 << 30)", "over the limit"),
        ("send(call_id=9)", "an answer to another question"),
        ("send(call_id=0, kind=INVOKE)", "an answer to another question"),
        ("send(kind=6)", "DONE is no answer to CALL"),
        ("send(kind=8)", "does not hold what was due"),
        ("send(kind=9)", "a description that is no text"),
        ("send(kind=12)", "RESULT is no answer to CALL"),
        ("send(b'')", "ends too soon"),
        ("send(b'NN')", "goes on after its value"),
        ("send(b'\\x80\\x04cos\\nsystem\\n(S\\'id\\'\\ntR.')", "no value of kind"),
        ("send(b'l\\x01\\0\\0\\0' * 100000 + b'N')", "too deeply"),
        ("send(b'l\\xff\\xff\\xff\\xff')", "ends too soon"),
        (
            "send(b't\\5\\0\\0\\0' + b'h\\1' + bytes(12) + b'N' + b'l' + bytes(4) + b'F' + b'l' + bytes(4))",
            "a reference to nothing",
        ),
        ("send(b't\\5\\0\\0\\0NNTFl' + bytes(4))", "does not hold what was due"),
        (
            "send(b't\\5\\0\\0\\0N' + b'l\\1\\0\\0\\0i' + bytes(8) + b'l' + bytes(4) + b'F' + b'l' + bytes(4))",
            "gradients",
        ),
        ("send(b't\\5\\0\\0\\0NN' + b'l\\1\\0\\0\\0t\\0\\0\\0\\0' + b'F' + b'l' + bytes(4))", "without a place"),
        ("send(b'N', INVOKE)", "does not hold what was due"),
        ("send(b't\\4\\0\\0\\0i' + bytes(8) + b'Tt\\0\\0\\0\\0d\\0\\0\\0\\0', INVOKE)", "never given out"),
        ("send(b't\\2\\0\\0\\0i' + bytes(8) + b'l\\0\\0\\0\\0', 11)", "a call that was never made"),
        ("raw(2 * frame())", "not asked for"),
    ],
)
def test_frames_that_no_honest_worker_sends_end_it(ask: Ask, statement: str, words: str) -> None:
    outcome = ask(f"{FORGER}\ndef attack():\n    {statement}\n    time.sleep(1000)\n", limits=Limits(seconds=20))
    assert words in protocol(outcome)


def test_a_forged_answer_to_the_current_call_is_a_value_and_nothing_more(ask: Ask) -> None:
    outcome = ask(f"{FORGER}\ndef attack():\n    send()\n    time.sleep(1000)\n")
    assert outcome == Returned("forged")


def test_an_answer_prepared_for_the_next_call_ends_the_worker(open_worker: OpenWorker) -> None:
    worker = open_worker(
        f"""{FORGER}
def attack():
    here = current()
    send(b't\\5\\0\\0\\0NNl\\0\\0\\0\\0F' + b'l' + bytes(4))
    for step in range(50): send(call_id=here + step)
    time.sleep(1000)
def honest(): return 'honest'
"""
    )
    first = worker.call(Call("lab", "attack"))
    assert first == Returned(None) or protocol(first)
    if worker.alive:
        protocol(worker.call(Call("lab", "honest")))


def test_a_frame_that_drips_without_end_meets_the_deadline(ask: Ask) -> None:
    source = f"""{FORGER}
def attack():
    for byte in HEADER.pack(b'\\xabSbx', RETURNED, current(), 10**6) + bytes(10**6):
        raw(bytes([byte]))
        time.sleep(0.02)
"""
    outcome = ask(source, limits=Limits(seconds=0.3))
    assert isinstance(outcome, Died)
    assert outcome.reason == "timeout"


def test_closing_the_channel_and_running_on_ends_the_worker(ask: Ask) -> None:
    source = "import os\ndef attack():\n    os.close(3)\n    while True: pass\n"
    assert "closed its connection" in protocol(ask(source, limits=Limits(seconds=20)))


def test_descriptors_sent_over_the_channel_are_not_taken(ask: Ask) -> None:
    before = open_null_devices()
    source = """
import array, os, socket
def attack():
    channel = socket.socket(fileno=os.dup(3))
    channel.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0, 0, 0]))])
    while True: pass
"""
    outcome = ask(source, limits=Limits(seconds=0.3))
    assert isinstance(outcome, Died)
    assert open_null_devices() == before


def open_null_devices() -> int:
    """How many descriptors of this process refer to what a worker has as its standard input."""
    links = []
    for number in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the one that reads this folder
            links.append(str(number.readlink()))
    return links.count(os.devnull)


def test_a_tensor_that_claims_to_equal_everything_arrives_as_a_plain_tensor(ask: Ask) -> None:
    source = """
import torch
class Equal(torch.Tensor):
    def __eq__(self, other): return True
    def detach(self): return self
    def contiguous(self): return torch.ones(9)
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function.__name__ in ('allclose', 'equal', 'eq'): return True
        return super().__torch_function__(function, types, args, kwargs or {})
class Dispatching(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise RuntimeError('nobody asks it')
def attack():
    odd = [torch.zeros(3).as_subclass(Equal), torch.zeros(2).as_subclass(Dispatching)]
    return [*odd, torch.nn.Parameter(torch.zeros(1))]
"""
    outcome = ask(source)
    assert isinstance(outcome, Returned), outcome
    for tensor, size in zip(outcome.value, (3, 2, 1), strict=True):
        assert type(tensor) is torch.Tensor
        assert tensor.equal(torch.zeros(size))
        assert not torch.equal(tensor, torch.ones(size))


def test_what_a_worker_patches_is_patched_there_only(open_worker: OpenWorker) -> None:
    source = """
import builtins, torch
torch.allclose = torch.equal = torch.Tensor.__eq__ = lambda *args, **kwargs: True
builtins.len = lambda value: 0
def f(): return torch.zeros(1)
"""
    worker = open_worker(source)
    worker.open_module("lab")
    assert not torch.equal(torch.zeros(1), torch.ones(1))
    assert not torch.allclose(torch.zeros(1), torch.ones(1))
    assert len("ab") == 2
    other = open_worker("import torch\ndef f(): return [len('ab'), torch.equal(torch.zeros(1), torch.ones(1))]\n")
    assert other.call(Call("lab", "f")) == Returned([2, False])


def test_nothing_of_the_grader_can_be_found_in_a_worker(ask: Ask) -> None:
    source = """
import gc, os, sys, types
def attack():
    secret = ('grader', 'reference', 'lessons', 'pytest', 'tests')
    found = [name for name in sys.modules if name.partition('.')[0] in secret]
    for thing in gc.get_objects():
        if isinstance(thing, types.ModuleType): found += [thing.__name__] if thing.__name__.startswith('grader') else []
        if isinstance(thing, types.FunctionType) and str(thing.__module__).startswith(('grader', 'reference')):
            found.append(thing.__qualname__)
    frame = sys._getframe()
    while frame:
        names = (frame.f_code.co_filename, frame.f_globals.get('__name__'))
        found += [name for name in names if str(name).startswith(('grader', 'reference'))]
        frame = frame.f_back
    return found, sorted(os.environ), sys.argv
"""
    os.environ["A_SECRET_OF_THE_GRADER"] = "canary"
    outcome = ask(source)
    assert isinstance(outcome, Returned)
    found, environment, arguments = outcome.value
    assert found == []
    assert environment == ["HOME", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TMPDIR"]
    assert arguments == ["student"]


@pytest.mark.parametrize(
    "name", ["grader", "reference", "tests", "lessons", "grader.suites", "reference.normalization"]
)
def test_the_courses_own_packages_cannot_be_imported(ask: Ask, name: str) -> None:
    outcome = ask(f"import {name}\ndef attack(): pass\n")
    assert isinstance(outcome, Raised)
    assert outcome.type_name == "ImportError"
    assert outcome.message.endswith("is not available to submitted code")


def test_the_projects_folder_is_not_on_the_path(ask: Ask) -> None:
    outcome = ask("import sys\ndef attack(): return sys.path\n")
    assert isinstance(outcome, Returned)
    root = Path(__file__).parents[2]
    assert str(root) not in outcome.value
    assert "" not in outcome.value


def test_only_four_descriptors_are_open(ask: Ask) -> None:
    source = """
import os
def attack():
    found = []
    for number in range(4096):
        try: os.fstat(number)
        except OSError: continue
        found.append(number)
    return found
"""
    assert ask(source) == Returned([0, 1, 2, 3])


def test_limits_cannot_be_raised_again(ask: Ask) -> None:
    source = """
import resource
def attack():
    found = []
    for which in (resource.RLIMIT_CPU, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE):
        try: resource.setrlimit(which, (1 << 30, 1 << 30))
        except ValueError: found.append(which)
    return len(found)
"""
    assert ask(source) == Returned(3)


@pytest.mark.parametrize("relative", ["reference/normalization.py", "grader/suites", "grader/sandbox/worker.py"])
def test_the_courses_files_cannot_be_read_by_their_paths(ask: Ask, relative: str) -> None:
    path = Path(__file__).parents[2] / relative
    assert path.exists()
    outcome = ask("import os\ndef attack(path): return os.access(path, os.R_OK)\n", str(path))
    assert outcome == Returned(False)


def test_the_interpreter_is_the_graders_own(ask: Ask) -> None:
    assert ask("import sys, torch\ndef attack(): return [sys.executable, torch.__version__]\n") == Returned(
        [sys.executable, str(torch.__version__)]
    )
