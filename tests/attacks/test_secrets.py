"""Secrets: what the grader knows is nowhere in a worker, neither in its memory nor in what it was started with."""

import os
import select
import shutil
import signal
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from grader.sandbox import Call, Limits, Returned

HUNTS = {
    "in the environment and the arguments": """
        def attack(target):
            expected = {"HOME", "TMPDIR", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}
            libc = ctypes.CDLL(None)
            libc.getenv.restype = ctypes.c_char_p
            loot = Loot(set(os.environ) - expected)
            loot += [name for name in ("GRADER_TOKEN", "SSH_AUTH_SOCK", "AWS_SECRET_ACCESS_KEY") if libc.getenv(name.encode())]
            return loot + [word for word in sys.argv + sys.orig_argv if "suite" in word or "submission" in word]
    """,
    "among the modules": """
        def attack(target):
            names = ("grader", "reference", "lessons", "pytest", "tests", "_pytest", "click", "student.alice")
            return [name for name in sys.modules if name.startswith(names)]
    """,
    "among all objects": """
        import gc, types
        def attack(target):
            loot = Loot()
            for thing in gc.get_objects():
                if isinstance(thing, (types.FunctionType, types.ModuleType, type)):
                    home = str(getattr(thing, "__module__", "")) + str(getattr(thing, "__name__", ""))
                    if home.startswith(("grader", "reference", "tests")): loot.append(home)
                elif isinstance(thing, (dict, list, tuple)) and len(thing) < 1000:
                    parts = thing.values() if isinstance(thing, dict) else thing
                    loot += [part[:99] for part in parts if type(part) is str and "CANA" + "RY-" in part]
            return loot
    """,
    "in the frames below": """
        def attack(target):
            loot, frame = Loot(), sys._getframe()
            while frame:
                for name, value in [*frame.f_locals.items(), *frame.f_globals.items()]:
                    if any(word in name for word in ("expected", "answer_of", "reference", "secret")): loot.append(name)
                frame = frame.f_back
            return loot
    """,
    "in its whole memory": """
        def attack(target):
            needle = b"CANA" + b"RY-"
            try:
                regions = [line.split() for line in open("/proc/self/maps")]
            except OSError:
                return []
            loot = Loot()
            with open("/proc/self/mem", "rb", 0) as memory:
                for place, rights, *rest in regions:
                    first, last = (int(each, 16) for each in place.split("-"))
                    if rights.startswith("rw") and last - first < 1 << 28:
                        memory.seek(first)
                        try:
                            content = memory.read(last - first)
                        except OSError:
                            continue
                        where = content.find(needle)
                        while where >= 0:
                            found = content[where : where + 39]
                            if found[7:].isalnum(): loot.append(found.decode())
                            where = content.find(needle, where + 1)
            return loot
    """,
    "in memory that others gave back": """
        import torch
        def attack(target):
            raw = bytes(torch.empty(64 << 20, dtype=torch.uint8).numpy())
            return ["found"] if b"CANA" + b"RY-" in raw else []
    """,
    "in what the grader hands over": """
        def attack(target):
            loot = Loot()
            for name in dir(sys.modules["student.lab"]):
                if "CANARY" in repr(getattr(sys.modules["student.lab"], name)): loot.append(name)
            return loot
    """,
}


@pytest.mark.parametrize("attack", HUNTS.values(), ids=HUNTS)
def test_no_secret_is_found(cage, attack):
    assert cage.loot(attack, Limits(seconds=5, memory_mb=512)) == []


def test_a_function_that_is_lent_tells_its_results_and_nothing_else(cage):
    source = """
        def attack(lent):
            found = []
            for name in ("__globals__", "__code__", "__closure__", "__wrapped__", "__self__", "__func__", "__defaults__"):
                if hasattr(lent, name): found.append(name)
            return found + [str(lent(2))]
    """
    secret = cage.bait.secret

    def lent(x):
        assert secret
        return 2 * x

    outcome = cage.run(source, lent)
    assert outcome == Returned(["4"])


def test_an_error_of_a_function_that_is_lent_tells_no_more_than_its_message(cage):
    source = """
        import traceback
        def attack(lent):
            try:
                lent(1)
            except ValueError as error:
                return "".join(traceback.format_exception(error)) + repr(vars(error))
    """
    secret = cage.bait.secret

    def lent(x):
        hidden = secret
        raise ValueError(f"{len(hidden)} characters")

    outcome = cage.run(source, lent)
    assert isinstance(outcome, Returned)
    assert "39 characters" in outcome.value
    assert secret not in outcome.value
    assert "test_secrets" not in outcome.value


SPY = """
    import os, sys, gc, torch
    mine = "SUBMISSION-" + MARK
    def attack(number):
        torch.manual_seed(number)
        torch.left = mine
        with open("mine", "w") as file: file.write(mine)
        for folder in ("/tmp", "/dev/shm", ".."):
            try: open(f"{folder}/left-{number}", "x").write(mine)
            except OSError: pass
        return os.getcwd()
    def look(number):
        seen = [torch.left, open("mine").read(), sorted(os.listdir("."))]
        seen += [thing for thing in gc.get_objects() if type(thing) is str and thing.startswith("SUBMISSION-")]
        for folder in ("/tmp", "/dev/shm"):
            for other in range(8):
                try: seen.append(open(f"{folder}/left-{other}").read())
                except OSError: pass
        for pid in range(1, 40):
            try: os.kill(pid, 0); seen.append(f"process {pid}") if pid != os.getpid() else None
            except OSError: pass
        return seen
"""


def test_eight_submissions_at_once_see_nothing_of_one_another(walled):
    workers = [walled.open(SPY.replace("MARK", f"'{number}'")) for number in range(8)]
    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda pair: pair[1].call(Call("lab", "attack", (pair[0],))), enumerate(workers)))
            looks = list(pool.map(lambda pair: pair[1].call(Call("lab", "look", (pair[0],))), enumerate(workers)))
        for number, outcome in enumerate(looks):
            assert isinstance(outcome, Returned), outcome
            own = f"SUBMISSION-{number}"
            assert outcome.value[:3] == [own, own, ["mine"]]
            assert set(outcome.value[3:]) <= {own}
        workers[0].close()
        assert isinstance(workers[1].call(Call("lab", "look", (1,))), Returned)
    finally:
        for worker in workers:
            worker.close()


GRADER = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
from grader.sandbox import Call, Zygote
zygote = Zygote(without=frozenset(sys.argv[2:]))
workers = [zygote.worker() for _ in range(3)]
for worker in workers:
    worker.load({'lab': '''
import ctypes, os, signal
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}: signal.signal(number, signal.SIG_IGN)
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
def spin():
    print('spinning')
    while True: pass
def sleep():
    import time
    os.closerange(0, 64)
    while True: time.sleep(1000)
'''})
with open(sys.argv[1], 'w') as file:
    print(os.getpid(), zygote.pid, *(worker.pid for worker in workers), file=file)
with ThreadPoolExecutor(3) as pool:
    list(pool.map(lambda pair: pair[0].call(Call('lab', pair[1], deadline=1000)), zip(workers, ('spin', 'sleep', 'spin'))))
"""


def test_killing_the_grader_leaves_nothing_running(outermost_cage, warm_python):
    """Not even workers that ignore every signal, have asked not to die with their parent and closed the channel."""
    room = Path(tempfile.mkdtemp())  # a grader that is killed cannot clear away its folders
    room.chmod(0o755)
    told, environment = room / "told", {**os.environ, "TMPDIR": str(room)}
    with ThreadPoolExecutor(1) as pool:
        grader = pool.submit(warm_python.run, "-c", GRADER, str(told), *outermost_cage.level.without, env=environment)
        while not (told.exists() and told.read_text().endswith("\n")):
            assert not grader.done(), grader.result()
            time.sleep(0.01)
        pid, *others = map(int, told.read_text().split())
        handles = [os.pidfd_open(other) for other in others]
        time.sleep(0.3)
        os.kill(pid, signal.SIGKILL)
        assert grader.result().returncode == -signal.SIGKILL
    end = time.monotonic() + 0.5
    left = []
    for handle in handles:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        if not poll.poll(max(0.0, 1000 * (end - time.monotonic()))):
            left.append(handle)
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.close(handle)
    shutil.rmtree(room)
    assert not left or not outermost_cage.level.walled, (
        "only the weak level lets a worker say that it will outlive its parent"
    )
