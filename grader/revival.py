"""What is done when the zygote dies: another takes its place, and what was under way is done once more."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from grader.candidate import Candidate
from grader.judge.check import Examination
from grader.sandbox import ZygoteDied
from grader.session import Suites, SuiteTest, TestRecord

T = TypeVar("T")
MOST = 4
"""Deaths of the zygote, in one submission, after which the machine is taken to be unfit."""
TWICE = "The process that makes the workers ended twice while this test ran; it costs no points."


class Revivals:
    """Those of one submission. restart: has another zygote made; raises ZygoteDied if that cannot be."""

    def __init__(self, restart: Callable[[], None]) -> None:
        self._restart = restart
        self._count = 0

    def run(
        self, suites: Suites, test: SuiteTest, examination: Examination, candidate: Candidate, seed: int
    ) -> TestRecord:
        """Run a test; once more if the zygote died meanwhile. A second death is a `grader_fault`. Raises ZygoteDied."""
        seen = len(examination.observations)
        for _ in range(2):
            del examination.observations[seen:]
            candidate.zygote_died = False
            record = suites.run(test, examination, seed)
            if not candidate.zygote_died:
                return record
            self._revive()
        return TestRecord(test, "grader_fault", TWICE, record.seconds)

    def repeated(self, step: Callable[[], T]) -> T:
        """Do something that asks a worker; once more if the zygote died meanwhile. Raises ZygoteDied."""
        try:
            return step()
        except ZygoteDied:
            self._revive()
            return step()

    def _revive(self) -> None:
        self._count += 1
        if self._count > MOST:
            raise ZygoteDied(f"the process that makes the workers ended {self._count} times")
        self._restart()
