"""The cage: one zygote for each level of protection, a neighbour in each, and bait all around.

An attack is a source text with a function `attack(target)` that returns its loot, one line for each thing it should not
have got. After every attack the neighbour must still answer and the bait must be as it was.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from nightly import share

from grader.sandbox import Call, Limits, Outcome, Returned, Worker, Zygote

TOOLS = (Path(__file__).parent / "tools.py").read_text("utf-8")
SHORT = Limits(seconds=1.0, memory_mb=256)
_SUBREAPER = 36


@dataclass(frozen=True)
class Level:
    """A level of protection: layers that are switched off, and layers that must then be on."""

    name: str
    without: frozenset[str]
    needs: frozenset[str]

    @property
    def walled(self) -> bool:
        """Whether files, network and other processes are out of reach, and not only the verdict."""
        return bool(self.needs)


LEVELS = (
    Level("strong", frozenset(), frozenset({"seccomp", "namespaces", "landlock"})),
    Level("standard-without-landlock", frozenset({"landlock"}), frozenset({"seccomp", "namespaces"})),
    Level("standard-without-namespaces", frozenset({"namespaces"}), frozenset({"seccomp", "landlock"})),
    Level("weak", frozenset({"seccomp", "namespaces", "landlock"}), frozenset()),
)
WALLED = tuple(level for level in LEVELS if level.walled)


class Bait:
    """What an attacker would like to have: secrets, submissions of others, a listener, a process to kill."""

    def __init__(self) -> None:
        self.secret = f"CANARY-{secrets.token_hex(16)}"
        # Not below pytest's folder, which only its owner may enter: here the layers must do the refusing.
        self.folder = Path(tempfile.mkdtemp(prefix="anatomy-bait-"))
        self.suite = self.folder / "suites" / "test_secret.py"
        self.submissions = self.folder / "submissions"
        self.open_folder = self.folder / "open to all"
        for place in (self.suite, self.submissions / "alice" / "normalization.py"):
            place.parent.mkdir(parents=True)
            place.write_text(f"assert {self.secret!r}\n", "utf-8")
        self.open_folder.mkdir()
        for path in (self.folder, *self.folder.rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o666)
        os.environ["GRADER_TOKEN"] = self.secret
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.named, self.abstract = (socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2))
        self.named.bind(str(self.folder / "listener"))
        (self.folder / "listener").chmod(0o777)
        self.abstract.bind(f"\0{self.secret[:20]}")
        for listener in self.listeners:
            listener.setblocking(False)
        self.victim = subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(1000)"])
        self._before = self._picture()

    @property
    def listeners(self) -> tuple[socket.socket, ...]:
        return self.tcp, self.named, self.abstract

    def target(self, zygote: Zygote, neighbour: Worker) -> dict[str, Any]:
        """What the attacker is told, so that nothing has to be guessed."""
        return {
            "suite": str(self.suite),
            "submissions": str(self.submissions),
            "open_folder": str(self.open_folder),
            "port": self.tcp.getsockname()[1],
            "named": str(self.folder / "listener"),
            "abstract": f"\0{self.secret[:20]}",
            "grader": os.getpid(),
            "zygote": zygote.pid,
            "neighbour": neighbour.pid,
            "victim": self.victim.pid,
            "project": str(Path(__file__).parents[2]),
        }

    def assert_untouched(self) -> None:
        """Nothing read into it, written to it, sent to it or killed."""
        assert self._picture() == self._before
        assert self.victim.poll() is None, "the process beside was killed"
        heard = [listener for listener in self.listeners if self._hears(listener)]
        assert heard == []

    def _hears(self, listener: socket.socket) -> bool:
        try:
            if listener is self.tcp:
                listener.accept()[0].close()
            else:
                listener.recv(100)
        except BlockingIOError:
            return False
        return True

    def _picture(self) -> list[tuple[str, int, int, int, int, bytes]]:
        found = []
        for path in sorted((self.folder, *self.folder.rglob("*"))):
            about = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            found.append((str(path), about.st_mode, about.st_uid, about.st_nlink, about.st_mtime_ns, content))
        return found

    def close(self) -> None:
        self.victim.kill()
        self.victim.wait()
        for listener in self.listeners:
            listener.close()
        os.environ.pop("GRADER_TOKEN")
        shutil.rmtree(self.folder)


@dataclass
class Cage:
    """Runs attacks at one level."""

    level: Level
    bait: Bait
    zygote: Zygote
    neighbour: Worker
    family: frozenset[int] = frozenset()

    def open(
        self, source: str | Mapping[str, str], limits: Limits = SHORT, replace: dict[str, Any] | None = None
    ) -> Worker:
        """A worker that has taken a submission: the module `lab`, or several by slug."""
        worker = self.zygote.worker(limits)
        texts = {"lab": source} if isinstance(source, str) else dict(source)
        worker.load({slug: textwrap.dedent(text) for slug, text in texts.items()} | {"tools": TOOLS}, replace)
        return worker

    def run(self, source: str, *args: Any, limits: Limits = SHORT) -> Outcome:
        """What comes of `attack(*args)` in a worker of its own, which is closed afterwards."""
        with self.open(source, limits) as worker:
            return worker.call(Call("lab", "attack", args))

    def loot(self, source: str, limits: Limits = SHORT) -> list[str]:
        """What `attack(target)` got hold of. An attack that did not live to tell has nothing."""
        outcome = self.run(f"from .tools import *\n{textwrap.dedent(source)}", self.target, limits=limits)
        assert self.bait.secret not in repr(outcome), "a secret has leaked"
        if not isinstance(outcome, Returned):
            return []
        assert isinstance(outcome.value, list), outcome
        return outcome.value

    @property
    def target(self) -> dict[str, Any]:
        return self.bait.target(self.zygote, self.neighbour)

    def adopt(self) -> None:
        """Take processes that a fixture has started into the family."""
        self.family = frozenset(living_descendants())

    def assert_undisturbed(self) -> None:
        """The neighbour answers, the bait is as it was, and no process is left over."""
        assert self.neighbour.call(Call("lab", "answer")) == Returned(42)
        self.bait.assert_untouched()
        assert self.strangers(seconds=2.0) == set(), "processes were left behind"

    def strangers(self, seconds: float) -> set[int]:
        """Processes below this one that were not there before the attack, once they have had time to go."""
        end = time.monotonic() + seconds
        while (found := living_descendants() - self.family) and time.monotonic() < end:
            time.sleep(0.01)
        return found


def living_descendants() -> set[int]:
    """Every process below this one that has not ended."""
    found: set[int] = set()
    waiting = [os.getpid()]
    while waiting:
        parent = waiting.pop()
        with suppress(OSError):  # processes end while they are looked at
            for task in Path(f"/proc/{parent}/task").glob("*/children"):
                children = [int(child) for child in task.read_text().split()]
                waiting += children
                found.update(child for child in children if is_running(child))
    return found


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.fixture(scope="session")
def bait() -> Iterator[Bait]:
    # Children of workers that run away from their parents come here, where they are seen.
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    planted = Bait()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.sandbox.worker._REAP_SECONDS", 0.2)  # attackers that close the channel and run on
        yield planted
    planted.close()
    ctypes.CDLL(None).prctl(_SUBREAPER, 0, 0, 0, 0)


@pytest.fixture(scope="session")
def cage_of(bait: Bait) -> Iterator[Callable[[Level], Cage]]:
    """The cage of a level, made when it is first asked for; skips where the machine does not offer the level."""
    zygotes = {level.name: Zygote(without=level.without) for level in LEVELS}  # they start side by side
    for zygote in zygotes.values():
        zygote.wait_until_ready()
    made: dict[str, Cage] = {}

    def get(level: Level) -> Cage:
        if level.name not in made:
            zygote = zygotes[level.name]
            neighbour = zygote.worker()
            neighbour.load({"lab": "def answer(): return 42\n"})
            made[level.name] = Cage(level, bait, zygote, neighbour)
        cage = made[level.name]
        if missing := level.needs - set(cage.neighbour.layers):
            pytest.skip(f"this machine does not offer {', '.join(sorted(missing))}")
        return cage

    yield get
    for cage in made.values():
        cage.neighbour.close()
    for zygote in zygotes.values():
        zygote.close()


def _guarded(cage: Cage) -> Iterator[Cage]:
    """Around each attack: what was there before must be all that is there after."""
    cage.family = frozenset(living_descendants())
    descriptors = open_descriptors()
    yield cage
    try:
        cage.assert_undisturbed()
        # Workers that were killed keep a descriptor until the next one is made.
        assert open_descriptors() <= descriptors + 16, "the grader has lost count of its descriptors"
    finally:
        for pid in cage.strangers(0):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture(params=LEVELS, ids=lambda level: level.name)
def cage(request: pytest.FixtureRequest, cage_of: Callable[[Level], Cage]) -> Iterator[Cage]:
    """Every level, the weak one too: for what no level may give away."""
    yield from _guarded(cage_of(request.param))


@pytest.fixture(params=share(LEVELS, of=3), ids=lambda level: level.name)
def outermost_cage(request: pytest.FixtureRequest, cage_of: Callable[[Level], Cage]) -> Iterator[Cage]:
    """All layers and none; those between at night. For what does not rest on the layers, and for what takes long."""
    yield from _guarded(cage_of(request.param))


@pytest.fixture(params=WALLED, ids=lambda level: level.name)
def walled(request: pytest.FixtureRequest, cage_of: Callable[[Level], Cage]) -> Iterator[Cage]:
    """The levels that promise walls: files, network, processes and the kernel's surface."""
    yield from _guarded(cage_of(request.param))
