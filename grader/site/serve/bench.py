"""Where the pages run the learner's functions beside the grading: a thread of its own, with a zygote of its own."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from grader.course.model import Course
from grader.errors import GraderFault, UserError
from grader.places import cache_folder
from grader.sandbox import ForkFailed, NoTorch, WorkerFailed, Zygote, ZygoteDied
from grader.site.serve.fault import fault_line
from grader.site.serve.modules import Modules, Sources

if TYPE_CHECKING:
    from grader.run.functions import Learner
    from grader.sandbox.proof import Protection

T = TypeVar("T")
Work = Callable[[Zygote], Any]
Parts = Callable[[str, Course, "Learner"], Mapping[str, Any]]
"""Computes a panel with the learner's functions: its parts, ready for JSON."""
SECONDS = 60.0
"""What the calls of one panel may take in all. The reference needs less than one for any of them."""
CHARACTERS = 400_000
_LEAVING = 5.0
NO_WORKSPACE = (
    "There is no workspace here, so there is no code of yours to run. "
    "Start `anatomy serve` in the folder that `anatomy start` made."
)
NO_SANDBOX = (ZygoteDied, ForkFailed, NoTorch, WorkerFailed, OSError)
"""What can keep a machine from running anybody's functions."""


class Stopped(Exception):
    """A panel was given up: it took too long, or the server ends."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of a panel with these sources. parts: as JSON; says: why there are none; lasts: whether to ask again
    would only bring the same."""

    digest: str
    parts: str | None = None
    says: str = ""
    lasts: bool = True


class Bench:
    """Computes panels, and lends its zygote to whoever has a question for the learner's functions.

    modules: None outside a workspace; parts: computes a panel; has: whether there is one of that name; accept: is told
    the protection before the learner's code runs in a panel; complain: is told of a fault that nobody has
    foreseen, in one line.
    """

    def __init__(
        self,
        course: Course,
        modules: Modules | None,
        parts: Parts,
        has: Callable[[str], bool],
        *,
        accept: Callable[[Protection], None],
        complain: Callable[[str], None],
        zygote: Callable[[], Zygote] = Zygote,
        seconds: float = SECONDS,
    ) -> None:
        self._course = course
        self._modules = modules
        self._parts = parts
        self._has = has
        self._accept = accept
        self._complain = complain
        self._start = zygote
        self._seconds = seconds
        self._zygote: Zygote | None = None
        self._accepted = False
        self._jobs: queue.SimpleQueue[tuple[Work, Future[Any]] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._starting = threading.Lock()
        self._waiting: set[str] = set()
        self._outcomes: dict[str, _Outcome] = {}
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="bench", daemon=True)

    def panel(self, name: str) -> dict[str, Any] | str:
        """What `/mine/<name>` answers, as a record or as JSON already. Returns at once; `working` means: ask again.

        Raises KeyError for a panel that there is not.
        """
        if not self._has(name):
            raise KeyError(name)
        if self._modules is None:
            return {"state": "none", "says": NO_WORKSPACE}
        digest = self._modules.sources().digest
        with self._lock:
            known = self._outcomes.get(name)
            if known is not None and known.digest == digest:
                if not known.lasts:
                    del self._outcomes[name]  # told once; who asks again means it
                return _told(known)
            if name in self._waiting:
                return {"state": "working"}
            self._waiting.add(name)
        self.submit(lambda zygote: self._compute(name, zygote)).add_done_callback(lambda done: self._settle(name, done))
        return {"state": "working"}

    def submit(self, work: Callable[[Zygote], T]) -> Future[T]:
        """Call `work` with the zygote on the bench's thread, after what waits there already. The future raises what it
        raises, and one of NO_SANDBOX where there is no zygote to be had."""
        future: Future[T] = Future()
        with self._lock:
            if self._closing.is_set():
                future.cancel()
                return future
            if self._thread.ident is None:
                self._thread.start()
            self._jobs.put((work, future))
        return future

    @property
    def hand(self) -> Executor:
        """The bench's thread for those who know executors; what they ask for waits its turn as all else does."""
        return _Hand(self)

    def zygote(self) -> Zygote:
        """The zygote, started by whoever needs it first and again after its death: only its workers are to be made and
        asked on the bench's thread. Raises one of NO_SANDBOX."""
        with self._starting:
            if self._closing.is_set():
                raise ZygoteDied("the server is ending")
            if self._zygote is None:
                self._zygote = self._start()
            elif not self._zygote.alive:
                self._zygote.restart()
            return self._zygote

    def close(self) -> None:
        """End what runs, the thread, and the zygote with its workers."""
        with self._lock:
            self._closing.set()
            self._jobs.put(None)
        if self._thread.ident is not None:
            self._thread.join(_LEAVING)
        if self._zygote is not None:
            self._zygote.close()  # whatever is still asked there has now died, and the thread goes on to its end
        if self._thread.ident is not None:
            self._thread.join(_LEAVING)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            work, future = job
            if self._closing.is_set() or not future.set_running_or_notify_cancel():
                future.cancel()
                continue
            try:
                future.set_result(work(self.zygote()))
            except BaseException as error:  # it belongs to whoever waits for it
                future.set_exception(error)

    def _compute(self, name: str, zygote: Zygote) -> _Outcome:
        assert self._modules is not None, "outside a workspace nothing is computed"
        sources = self._modules.sources()
        self._have_accepted(zygote)
        with _bounded(self._course, zygote, sources, self._seconds, self._closing) as learner:
            try:
                parts = self._parts(name, self._course, learner)
            except Stopped:
                return _Outcome(
                    sources.digest,
                    says=f"Your functions took more than {self._seconds:.0f} s for this picture, so it was given up. "
                    "Grade them first: a function that is slow or does not end is named there.",
                )
        # What a learner's function returns may hold anything: a number that JSON has not must be caught here.
        text = json.dumps(parts, allow_nan=False, separators=(",", ":"))
        if len(text) > CHARACTERS:
            says = f"What your functions return is more than {CHARACTERS // 1000} kB, too much for a picture."
            return _Outcome(sources.digest, says=f"{says} Grade them first: their shapes may be wrong.")
        return _Outcome(sources.digest, text)

    def _have_accepted(self, zygote: Zygote) -> None:
        if not self._accepted:
            from grader.sandbox.proof import protection_of

            self._accept(protection_of(zygote, cache_folder()))
            self._accepted = True

    def _settle(self, name: str, done: Future[_Outcome]) -> None:
        outcome = None
        if not done.cancelled():
            error = done.exception()
            outcome = done.result() if error is None else self._failed(error)
        with self._lock:
            self._waiting.discard(name)
            if outcome is not None:
                self._outcomes[name] = outcome

    def _failed(self, error: BaseException) -> _Outcome:
        digest = self._modules.sources().digest if self._modules else ""
        said = str(error).rstrip(".") or type(error).__name__
        if isinstance(error, UserError):
            return _Outcome(digest, says=str(error), lasts=False)
        if isinstance(error, NO_SANDBOX):
            says = f"Your functions could not be run: {said}. Try again, or `anatomy doctor` in a terminal."
            return _Outcome(digest, says=says, lasts=False)
        if not isinstance(error, GraderFault):
            said = fault_line(error)
            self._complain(said)
        return _Outcome(digest, says=f"Grader fault, not yours: {said}. Please report it.", lasts=False)


class _Hand(Executor):
    """The bench's thread as an executor."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Call `fn` there."""
        return self._bench.submit(lambda _: fn(*args, **kwargs))


def _told(outcome: _Outcome) -> dict[str, Any] | str:
    if outcome.parts is None:
        return {"state": "none", "says": outcome.says}
    return f'{{"state":"done","sources":"{outcome.digest}","parts":{outcome.parts}}}'


def _bounded(course: Course, zygote: Zygote, sources: Sources, seconds: float, closing: threading.Event) -> Learner:
    """The learner's functions, which answer until `seconds` have passed or the server ends. Each call has its own limit
    besides, so that none can go much beyond. Of a module that cannot be run it is told why."""
    from grader.judge.probe import Probe
    from grader.run.functions import Learner, Replacements
    from grader.sandbox import Died, Outcome

    until = time.monotonic() + seconds

    class Bounded(Learner):
        def ask(self, exercise: str, probe: Probe) -> Outcome:
            self._go_on()
            if problem := sources.problems.get(exercise.partition(".")[0]):
                return Died("crashed", problem.partition("\n")[0])
            return super().ask(exercise, probe)

        def ask_with(self, exercise: str, probe: Probe, lent: Replacements) -> Outcome:
            self._go_on()
            return super().ask_with(exercise, probe, lent)

        @staticmethod
        def _go_on() -> None:
            if closing.is_set() or time.monotonic() > until:
                raise Stopped

    return Bounded(course, zygote, sources.texts)
