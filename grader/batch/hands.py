"""Who grades: processes on this machine, or the workers of a Dask cluster. A run knows an Executor and nothing else."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import forkserver
from types import TracebackType
from typing import Any, Protocol, Self

from grader.errors import UserError

_PRELOADED = ("grader.batch.desk", "grader.grading", "grader.session")
_WORKERS_WITHIN = 60
"""Seconds in which a cluster must show a worker."""


class Hands(Protocol):
    """An executor, and how to get another one when it has broken. size: how many submissions it grades at a time."""

    size: int

    def executor(self) -> Executor:
        """The one to submit to now."""

    def renew(self) -> None:
        """Have another one in place of one whose processes died or hang. What was in flight is lost."""

    def close(self) -> None:
        """Wait for nothing, and leave no process behind."""


def begin_importing() -> None:
    """Start the process that imports what grading needs, without waiting for it: there is other work meanwhile."""
    forkserver.set_forkserver_preload(list(_PRELOADED))
    # Ctrl-C is for the command, which then ends that process; and it would break into an import with a traceback.
    with _deaf_to_interrupts():
        forkserver.ensure_running()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """What is started in here ignores Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class LocalHands:
    """Processes on this machine. lessons: whose suites they open; jobs: how many, by default one a core."""

    def __init__(self, lessons: Sequence[str], jobs: int | None = None) -> None:
        self.size = jobs or os.cpu_count() or 1
        self._lessons = tuple(lessons)
        self._executor = self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def executor(self) -> Executor:
        return self._executor

    def renew(self) -> None:
        self.close()
        self._executor = self._open()

    def close(self) -> None:
        # Of a process that hangs nobody else would make an end; `shutdown` alone waits for it.
        for process in list((self._executor._processes or {}).values()):
            process.terminate()
        self._executor.shutdown(cancel_futures=True)

    def _open(self) -> ProcessPoolExecutor:
        # One process imports what grading needs and is forked for each job, before it has any thread of its own.
        begin_importing()
        from grader.batch.desk import open_desk

        context = multiprocessing.get_context("forkserver")
        return ProcessPoolExecutor(self.size, context, open_desk, (self._lessons,))


class ClusterHands:
    """The workers of a Dask scheduler, which run on other machines, or on this one.

    seconds: in which the scheduler must answer and show a worker. Raises UserError.
    """

    def __init__(self, url: str, seconds: float = _WORKERS_WITHIN) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise UserError(
                "A scheduler needs Dask. Install it with `pip install 'decoder-anatomy[cluster]'`, here and there."
            ) from None
        try:
            self._client: Any = Client(url, timeout=seconds, set_as_default=False)
        except (OSError, ValueError) as error:
            said = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
            raise UserError(
                f"There is no Dask scheduler at {url}: {said}. Check the address; `dask scheduler` prints it."
            ) from None
        try:
            self._client.wait_for_workers(1, timeout=seconds)
        except (OSError, TimeoutError):
            self._client.close()
            raise UserError(
                f"The scheduler at {url} has no workers. Start some: `dask worker {url} --nthreads 1`."
            ) from None
        self._url = url
        self._executor: Executor = self._client.get_executor()
        self.size = max(1, sum(self._client.nthreads().values()))

    def executor(self) -> Executor:
        return self._executor

    def renew(self) -> None:
        """The workers are others' to mend: what is sent anew goes to those that live."""
        self._executor.shutdown(wait=False)  # which takes back what waits
        if self._client.status != "running":
            raise UserError(
                f"The connection to the scheduler at {self._url} is lost. What was graded is kept: run this again."
            )
        self._executor = self._client.get_executor()

    def close(self) -> None:
        with suppress(OSError, TimeoutError):
            self._executor.shutdown(wait=False)  # which takes back what waits
            self._client.close(timeout=5)

    def pids(self) -> list[int]:
        """The process of each worker, on whatever machine it runs."""
        return [int(pid) for pid in self._client.run(os.getpid).values()]
