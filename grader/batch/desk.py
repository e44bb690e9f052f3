"""A process that grades parcels: one zygote and one open session of the suites, from its first parcel to its end."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import cache, partial
from multiprocessing import parent_process
from multiprocessing.util import Finalize
from queue import SimpleQueue
from typing import TYPE_CHECKING

from grader.batch.fingerprint import fingerprint
from grader.batch.parcel import Graded, Parcel, graded, without_verdict
from grader.course.load import load_course
from grader.errors import GraderFault
from grader.options import Options
from grader.places import cache_folder
from grader.report import Report
from grader.sandbox import Zygote
from grader.sandbox.level import require
from grader.workspace import submission_of

if TYPE_CHECKING:
    from grader.grading import Grader
    from grader.sandbox.proof import Protection
    from grader.session import Suites

_PATIENCE = 1.0
"""Seconds after which it is looked whether the session is still open."""
_PARENT_GONE = 3

_desk: Desk | None = None
"""Of this process."""
_opening = threading.Lock()


class NoDesk(GraderFault):
    """The session of the suites could not be opened or has ended: no submission can be graded here."""


def grade_parcel(parcel: Parcel) -> Graded:
    """Grade one submission in this process.

    Raises NoDesk, and TooWeak where the protection is weak and the parcel does not allow that. A course other than the
    sender's is a fault of the grader's, and is not used.
    """
    global _desk
    with _opening:
        if _desk is None:
            # The process of a cluster outlives an assignment, and pytest opens one session a process: take all lessons.
            _desk = Desk([lesson.slug for lesson in load_course().lessons])
    if _fingerprint(parcel.lessons) != parcel.suite:
        says = "The machine that was to grade this holds another version of the course. Install the same one there."
        return graded(
            without_verdict(load_course(), parcel.exercises, parcel.options, "grader_fault", says), parcel.names
        )
    return graded(_desk.grade(parcel), parcel.names)


@cache
def _fingerprint(lessons: tuple[str, ...]) -> str:
    return fingerprint(load_course(), lessons).digest


def open_desk(lessons: Sequence[str]) -> None:
    """What a process of the local pool begins with: these suites, and an end when the command that it serves ends."""
    global _desk
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command, which then ends this process
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    _desk = Desk(lessons)
    Finalize(None, _desk.close, exitpriority=1)  # `atexit` is not run in a process of multiprocessing's


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(_PARENT_GONE)  # nobody is left to grade for; the zygote ends when its channel closes


class Desk:
    """A thread in which the session of the suites stays open: pytest lets go of its thread only at the end."""

    def __init__(self, lessons: Sequence[str]) -> None:
        self._lessons = lessons
        self._asked: SimpleQueue[tuple[Parcel, Future[Report]] | None] = SimpleQueue()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._open, name="desk", daemon=True)
        self._thread.start()

    def grade(self, parcel: Parcel) -> Report:
        """Grade in the desk's thread and wait for it."""
        wanted: Future[Report] = Future()
        self._asked.put((parcel, wanted))
        while self._thread.is_alive():
            with suppress(TimeoutError):
                return wanted.result(timeout=_PATIENCE)
        if not wanted.done():
            said = str(self._error or "the session of the suites has ended").rstrip(".")
            raise NoDesk(f"Nothing can be graded: {said}. Try `anatomy doctor`.") from self._error
        return wanted.result()

    def close(self) -> None:
        """Let the session end, and the zygote with it."""
        self._asked.put(None)
        self._thread.join()

    def _open(self) -> None:
        try:
            course = load_course()
            with Zygote() as zygote:  # first, so that it imports torch while this process does
                from grader.grading import Grader
                from grader.session import with_suites

                def grader(suites: Suites, options: Options, allow_weak: bool) -> Grader:
                    accept = partial(_accept, allow_weak)
                    return Grader(course, suites, zygote, options, cache=cache_folder(), accept=accept)

                with_suites(self._lessons, lambda suites: self._serve(partial(grader, suites)))
        except BaseException as error:  # whoever waits for a grade is told
            self._error = error

    def _serve(self, open_grader: partial[Grader]) -> int:
        manner, grader = None, None
        while (asked := self._asked.get()) is not None:
            parcel, wanted = asked
            try:
                if grader is None or manner != (parcel.options, parcel.allow_weak):
                    manner, grader = (parcel.options, parcel.allow_weak), open_grader(parcel.options, parcel.allow_weak)
                exercises = [grader.course.exercise(id_) for id_ in parcel.exercises]
                submission = submission_of(parcel.names[0], parcel.modules, grader.course)
                wanted.set_result(grader.grade(submission, exercises))
            except Exception as error:  # it belongs to the one submission
                wanted.set_exception(error)
        return 0


def _accept(allow_weak: bool, protection: Protection) -> None:
    require(protection.level, allow_weak=allow_weak)
