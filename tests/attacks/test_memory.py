"""Memory: an attacker runs out of it alone. The grader and the neighbour do not notice."""

import resource

import pytest
import torch

from grader.judge.check import Check, Examination, Failed
from grader.sandbox import Call, Died, Limits, NotAValue, Raised, Returned
from grader.standin import stand_in
from reference.attention import attention
from reference.normalization import rms_norm
from reference.positions import rope_angles

BUDGET = Limits(seconds=2.0, memory_mb=96)

HOARDS = {
    "tensors": """
        import torch
        def attack(target):
            kept = []
            while len(kept) < 400:
                kept.append(torch.ones(4 << 20))
            return ["6 GB of tensors"]
    """,
    "bytes": """
        def attack(target):
            kept = []
            while len(kept) < 6000:
                kept.append(bytearray(b"x") * (1 << 20))
            return ["6 GB of bytes"]
    """,
    "small objects": """
        def attack(target):
            kept = []
            while len(kept) < 3_000_000:
                kept.append([0.5] * 200)
            return ["six hundred million references"]
    """,
    "one whole number": """
        def attack(target):
            return [str((1 << (1 << 34)).bit_length())]
    """,
    "one tensor": """
        import torch
        def attack(target):
            return [str(torch.zeros(1 << 34).shape)]
    """,
    "freed and taken again": """
        import torch
        def attack(target):
            most = 0
            for step in range(20):
                kept = torch.ones((40 + step) << 20, dtype=torch.uint8)
                most = max(most, kept.numel())
                del kept
                if most > 900 << 20:
                    return [f"{most} bytes at once"]
            kept = [torch.ones(16 << 20, dtype=torch.uint8) for _ in range(40)]
            return ["after freeing, all over again"]
    """,
    "shared mappings": """
        import mmap
        def attack(target):
            kept, size = [], 32 << 20
            while len(kept) < 100:
                room = mmap.mmap(-1, size)
                kept.append(room)
                for offset in range(0, size, 4096):
                    room[offset] = 1
            return ["3 GB of shared memory"]
    """,
    "mappings that grow": """
        def attack(target):
            libc = ctypes.CDLL(None, use_errno=True)
            libc.mmap.restype = libc.mremap.restype = ctypes.c_void_p
            where, size = libc.mmap(None, 4096, 3, 0x4022, -1, 0), 4096
            while size < 4 << 30:
                where = libc.mremap(ctypes.c_void_p(where), ctypes.c_size_t(size), ctypes.c_size_t(2 * size), 1)
                if where is None or where == 2**64 - 1:
                    return []
                size *= 2
                ctypes.memset(where + size // 2, 1, size // 2)
            return [f"grown to {size} bytes"]
    """,
    "stacks of threads": """
        import threading
        def attack(target):
            threading.stack_size(64 << 20)
            started, hold = 0, threading.Event()
            def fill(depth=0):
                room = bytearray(1 << 20)
                return fill(depth + 1) if depth < 40 else hold.wait()
            try:
                for started in range(200):
                    threading.Thread(target=fill, daemon=True).start()
            except (RuntimeError, MemoryError):
                return []
            return ["two hundred stacks"]
    """,
    "pipes": """
        def attack(target):
            kept, written = [], 0
            try:
                while written < 1 << 30:
                    _, end = os.pipe()
                    kept.append(end)
                    os.set_blocking(end, False)
                    try:
                        while True:
                            written += os.write(end, bytes(65536))
                    except BlockingIOError:
                        pass
            except OSError:
                return []
            return [f"{written} bytes in pipes"]
    """,
    "files in memory": """
        def attack(target):
            written = 0
            try:
                for number in range(1000):
                    with open(f"{number}", "wb") as file:
                        written += file.write(bytes(4 << 20))
            except OSError:
                pass
            return [f"{written} bytes"] if written > 100 << 20 else []
    """,
    "a text that unpacks itself": """
        import zlib
        def attack(target):
            bomb = zlib.compress(bytes(1 << 26), 9)
            kept = [zlib.decompress(bomb) for _ in range(100)]
            return ["6 GB unpacked"]
    """,
}


@pytest.mark.parametrize("attack", HOARDS.values(), ids=HOARDS)
def test_hoarding_ends_within_the_budget(cage, attack):
    assert cage.loot(attack, BUDGET) == []
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10  # of all children that have been waited for
    assert largest < 2048


def test_a_want_of_memory_is_told_from_other_ends(cage):
    outcome = cage.run("import torch\ndef attack(): return torch.ones(1 << 32)\n", limits=BUDGET)
    assert isinstance(outcome, Raised)
    assert outcome.is_memory


def growth(act):
    """MB by which the grader's largest size has grown."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = act()
    return outcome, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10


ANSWERS = {
    "a tensor of 160 MB": "torch.ones(40 << 20)",
    "a tensor that is one number seen often": "torch.ones(1).expand(1 << 40)",
    "a list of one tensor, many times": "[torch.ones(1 << 20)] * 50",
    "a text of 100 MB": "'x' * (100 << 20)",
    "more numbers than one may send": "list(range(150_000))",
    "twenty thousand empty tensors": "[torch.ones(0)] * 30_000",
    "a dict of long names": "{('k' * 100_000) + str(n): n for n in range(1000)}",
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_a_vast_answer_does_not_cross(cage, answer):
    source = f"import torch\ndef attack(): return {answer}\n"
    outcome, grown = growth(lambda: cage.run(source, limits=Limits(seconds=5, memory_mb=512)))
    assert not isinstance(outcome, Returned)
    assert grown < 200


def test_a_frame_that_promises_a_gigabyte_is_not_made_room_for(cage):
    source = "from .tools import *\ndef attack():\n    forge(length=(64 << 20) - 1)\n    time.sleep(60)\n"
    outcome, grown = growth(lambda: cage.run(source, limits=Limits(seconds=0.3)))
    assert isinstance(outcome, Died)
    assert grown < 100


def test_functions_of_the_grader_take_no_more_than_the_limits_let_through(cage):
    """A thousand calls back, each with a megabyte: the bytes of one request are bounded as a whole."""
    source = """
        import torch
        def attack(function):
            for _ in range(1000):
                function(torch.ones(1 << 18))
    """
    seen = []
    with cage.open(source, Limits(seconds=10, memory_mb=256)) as worker:
        outcome = worker.call(Call("lab", "attack", (lambda tensor: seen.append(tensor.numel()),)))
    assert isinstance(outcome, Died)
    assert outcome.reason == "protocol"
    assert sum(seen) * 4 <= 64 << 20


def test_vast_results_are_not_kept():
    """What a submission returned is kept for the diagnosis; sixty megabytes of each call would add up to a machine."""
    examination = Examination(lambda x: x, lambda probe, answer: Returned(torch.ones(1 << 20)))
    with pytest.raises(Failed, match="far more numbers than the answer has"):
        Check(examination, "test", 1)(torch.ones(3))
    (kept,) = examination.observations
    assert isinstance(kept.outcome, NotAValue)


@pytest.mark.parametrize(
    ("lent", "arguments"),
    [
        (rms_norm, (torch.ones(2**15, 1), torch.ones(2**15))),
        (attention, (torch.ones(2**14, 2),) * 3),
        (rope_angles, (torch.arange(9), torch.tensor(2**24))),
    ],
    ids=["broadcast", "square", "a size that is a tensor"],
)
def test_a_function_that_is_lent_makes_nothing_vast_of_small_arguments(lent, arguments):
    with pytest.raises(RuntimeError):
        stand_in(lent)(*arguments)
