"""What the open pages ask for again and again: which lessons are being graded, and what came of it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from grader.records import clock
from grader.report import Report


@dataclass(frozen=True, slots=True)
class Graded:
    """The last grading of a lesson in this run. version: the state's when it came; remarks: what was said of it apart
    from the verdicts, a sentence each (a log that cannot be written, a lesson that is complete)."""

    report: Report
    at: datetime
    version: int
    remarks: tuple[str, ...] = ()


class Live:
    """Shared by the desk, which writes, and the requests, which read. Every change makes the version one higher.

    The lock is held for a few assignments at a time, never while anything is graded, rendered or read from a disk.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version = 0
        self._under_way: dict[str, None] = {}
        self._graded: dict[str, Graded] = {}
        self._faults: dict[str, str] = {}
        self._says = ""
        self._saved = False

    @property
    def version(self) -> int:
        """How often anything has changed."""
        return self._version

    def begin(self, slug: str) -> None:
        """A lesson is to be graded now, or as soon as another is done with."""
        with self._lock:
            self._under_way[slug] = None
            self._version += 1

    def finish(
        self, slug: str, report: Report, remarks: Sequence[str] = (), *, again: bool = False, saved: bool = True
    ) -> None:
        """A lesson has been graded. again: it has been saved meanwhile, so that it remains under way; saved: somebody
        saved it, and that is what they want to read of, whatever is looked through before and after."""
        now = clock.now()
        with self._lock:
            self._version += 1
            self._graded[slug] = Graded(report, now, self._version, tuple(remarks))
            if saved:
                self._saved = True
                self._says = f"Graded {slug} at {now:%H:%M:%S}: {report.earned} of {report.possible} points."
            elif not self._saved:
                earned = sum(each.report.earned for each in self._graded.values())
                possible = sum(each.report.possible for each in self._graded.values())
                lessons = "1 lesson" if len(self._graded) == 1 else f"{len(self._graded)} lessons"
                self._says = f"Graded {lessons} at {now:%H:%M:%S}: {earned} of {possible} points."
            if not again:
                self._under_way.pop(slug, None)

    def give_up(self, slug: str) -> None:
        """A lesson could not be graded; why is told as a fault."""
        with self._lock:
            self._under_way.pop(slug, None)
            self._version += 1

    def fault(self, source: str, says: str | None) -> None:
        """What keeps `source` from working, None as soon as nothing does."""
        with self._lock:
            if self._faults.get(source) == says:
                return
            if says is None:
                del self._faults[source]
            else:
                self._faults[source] = says
            self._version += 1

    def lesson(self, slug: str) -> Graded | None:
        """The last grading of a lesson in this run."""
        return self._graded.get(slug)

    def is_under_way(self, slug: str) -> bool:
        """Whether the lesson is being graded."""
        return slug in self._under_way

    def state(self, since: int = 0) -> dict[str, Any]:
        """All of it, ready for JSON; of the lessons those that were graded after the version `since`."""
        with self._lock:
            return {
                "version": self._version,
                "grading": list(self._under_way),
                "lessons": {slug: each.version for slug, each in self._graded.items() if each.version > since},
                "fault": " ".join(self._faults.values()) or None,
                "says": self._says,
            }
