"""Which study day it is, when the clock and the log may disagree."""

from dataclasses import dataclass
from datetime import date, datetime

from grader.records.clock import study_day
from grader.review.history import Reviews


@dataclass(frozen=True, slots=True)
class Today:
    """The study day to go by. If `practice_only`, no review may count today, and `warning` says why."""

    day: date
    practice_only: bool = False
    warning: str | None = None


def today(now: datetime, reviews: Reviews) -> Today:
    """Today by the clock, or by the log if that is one day ahead: a study day never steps back by one.

    `now` is a time with an offset. A clock that is further back is wrong, or was wrong before: nobody can tell which,
    so nothing is counted until that is put right.
    """
    last = reviews.last_day
    day = study_day(now, reviews.rollover_hour, last)
    if last is None or last <= day:
        return Today(day)
    warning = (
        f"The clock says {day}, but your log has already reached {last}: until one of them is put right, reviews are "
        f"practice. If the clock is wrong, mend it. If the log is, `anatomy undo --after {day}` takes back what was "
        "dated later."
    )
    return Today(day, practice_only=True, warning=warning)
