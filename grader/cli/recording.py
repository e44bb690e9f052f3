"""Writing into the learner's log, with the day and the hour that count for this learner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.cli.learner import learner_log
from grader.records import clock
from grader.records.event import Event
from grader.records.log import unwritable
from grader.review.history import Reviews


def record(kind: str, payload: Mapping[str, Any], reviews: Reviews) -> Event:
    """Write an event that happens now; it is on the disk when this returns. Raises LogUnwritable.

    reviews: what was recorded so far; it says at which hour a study day begins, and which day has begun already.
    """
    return learner_log().append(
        kind, payload, clock.now(), rollover_hour=reviews.rollover_hour, not_before=reviews.last_day
    )


def learner_name(reviews: Reviews) -> str:
    """For whom numbers are drawn: the machine on which the log began, else this one. Raises LogUnwritable."""
    if reviews.learner is not None:
        return reviews.learner
    log = learner_log()
    try:
        return log.device()
    except OSError as error:
        raise unwritable(error, log.folder) from None
