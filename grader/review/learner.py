"""A learner's own records: what the log says, which study day it is, and how something new is written into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from grader.course.model import Course
from grader.keeping import Stamps, stamps_of
from grader.records import clock
from grader.records.event import Event
from grader.records.fold import Progress, fold
from grader.records.kinds import ANSWER, SESSION
from grader.records.log import Damage, Log, log_home, unwritable
from grader.records.voids import live_events
from grader.review.history import Reviews, fold_reviews
from grader.review.sessions import Session, sessions_of
from grader.review.today import Today, today


@dataclass(frozen=True)
class Known:
    """What was recorded until now, and what it adds up to. damage: the lines that could not be read."""

    course: Course
    events: Sequence[Event]
    damage: Sequence[Damage]

    @cached_property
    def reviews(self) -> Reviews:
        return fold_reviews(self.events, self.course)

    @cached_property
    def progress(self) -> Progress:
        return fold(self.events, self.course)

    @cached_property
    def sessions(self) -> Sequence[Session]:
        """Every session of every lesson that counts, with the answers to it."""
        live = live_events(self.events)
        return sessions_of(*([event for event in live if event.type == kind] for kind in (SESSION, ANSWER)))

    @property
    def today(self) -> Today:
        """The study day now; it warns where clock and log disagree."""
        return today(clock.now(), self.reviews)


class LearnerRecords:
    """The log of one learner, read and written. What is wrong with it, or with the clock, is returned and not shown."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self._read: tuple[Stamps, Known] | None = None

    def known(self, course: Course) -> Known:
        """What is recorded now: the same object as long as the log's files stay the same. Raises LogUnreadable."""
        stamps = stamps_of(self.log.files())
        before = self._read
        if before is not None and before[0] == stamps and before[1].course is course:
            return before[1]
        history = self.log.read()
        known = Known(course, history.events, history.damage)
        self._read = stamps, known
        return known

    def record(self, kind: str, payload: Mapping[str, Any], reviews: Reviews) -> Event:
        """Write an event that happens now; it is on the disk when this returns. Raises LogUnwritable.

        reviews: what was recorded so far; it says at which hour a study day begins, and which day has begun already.
        """
        return self.log.append(
            kind, payload, clock.now(), rollover_hour=reviews.rollover_hour, not_before=reviews.last_day
        )

    def name(self, reviews: Reviews) -> str:
        """For whom numbers are drawn: the machine on which the log began, else this one. Raises LogUnwritable."""
        if reviews.learner is not None:
            return reviews.learner
        try:
            return self.log.device()
        except OSError as error:
            raise unwritable(error, self.log.folder) from None


def records_here() -> LearnerRecords:
    """The records of whoever sits at this machine."""
    return LearnerRecords(Log(log_home()))
