"""Grading many submissions in several processes, each with a zygote and an open session of the suites of its own.

A process is started, and suites are collected, once for each job, never for a submission.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing.util import Finalize
from queue import SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Self

from grader.course.load import load_course
from grader.errors import GraderFault
from grader.options import Options
from grader.report import Report
from grader.sandbox import Zygote
from grader.workspace import Submission

if TYPE_CHECKING:
    from grader.grading import Grader

_desk: _Desk | None = None
"""In a process of the pool: where its submissions are graded."""
_PATIENCE = 1.0
"""Seconds after which it is looked whether the session is still open."""


class Pool:
    """Processes that grade. jobs: how many, by default one a core. Use as a context manager.

    What a process of the pool raises (GraderFault, say) is the exception of the future; a process that dies breaks the
    pool, as with every executor of `concurrent.futures`.
    """

    def __init__(self, lessons: Sequence[str], jobs: int | None = None, options: Options | None = None) -> None:
        self.jobs = jobs or os.cpu_count() or 1
        spawn = multiprocessing.get_context("spawn")
        self._executor = ProcessPoolExecutor(self.jobs, spawn, _open_desk, (tuple(lessons), options or Options()))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._executor.shutdown(cancel_futures=True)

    def submit(self, submission: Submission, exercises: Sequence[str]) -> Future[Report]:
        """Have these exercises (by id) of a submission graded."""
        return self._executor.submit(_grade, submission, tuple(exercises))


class _Desk:
    """A thread in which the session of the suites stays open: pytest lets go of its thread only at the end."""

    def __init__(self, lessons: Sequence[str], options: Options) -> None:
        self._lessons = lessons
        self._options = options
        self._asked: SimpleQueue[tuple[Submission, Sequence[str], Future[Report]] | None] = SimpleQueue()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._open, name="desk")
        self._thread.start()

    def grade(self, submission: Submission, exercises: Sequence[str]) -> Report:
        """Grade in the desk's thread and wait for it. Raises what ended the session, if it has ended."""
        wanted: Future[Report] = Future()
        self._asked.put((submission, exercises, wanted))
        while self._thread.is_alive():
            with suppress(TimeoutError):
                return wanted.result(timeout=_PATIENCE)
        if not wanted.done():
            raise self._error or GraderFault("the session of the suites has ended")
        return wanted.result()

    def close(self) -> None:
        """Let the session end, and the zygote with it."""
        self._asked.put(None)
        self._thread.join()

    def _open(self) -> None:
        course = load_course()
        try:
            with Zygote() as zygote:  # first, so that it imports torch while this process does
                from grader.grading import Grader
                from grader.session import with_suites

                with_suites(self._lessons, lambda suites: self._serve(Grader(course, suites, zygote, self._options)))
        except BaseException as error:  # whoever waits for a grade is told
            self._error = error

    def _serve(self, grader: Grader) -> int:
        while (asked := self._asked.get()) is not None:
            submission, exercises, wanted = asked
            try:
                wanted.set_result(grader.grade(submission, [grader.course.exercise(each) for each in exercises]))
            except Exception as error:  # it belongs to the one submission
                wanted.set_exception(error)
        return 0


def _open_desk(lessons: Sequence[str], options: Options) -> None:
    """What a process of the pool begins with."""
    global _desk
    _desk = _Desk(lessons, options)
    Finalize(None, _desk.close, exitpriority=1)  # `atexit` is not run in a process of multiprocessing's


def _grade(submission: Submission, exercises: Sequence[str]) -> Report:
    assert _desk is not None
    return _desk.grade(submission, exercises)
