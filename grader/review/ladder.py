"""The ladder: on which days a completed lesson comes back, and which rung a review takes. Dates only, no log, no clock.

A lesson completed on day A is due on A + 1, 3, 7, 14 and 30, and none of these dates ever moves. Each day after A lies
in the window of exactly one rung; the first scored review in a window takes its rung.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from grader.review.history import LessonHistory

RUNGS = (1, 3, 7, 14, 30)
"""The days after completion on which the rungs are due."""
WINDOWS = (1, 3, 6, 13, 26)
"""The days after completion on which their windows open; each closes when the next one opens, the last one never."""
LAST_RUNG = len(RUNGS)
EXTENSION = LAST_RUNG + 1
"""Stands for a rung where a review took an extension."""
EXTENSION_DAYS = 14
PASS = 0.8
"""The score from which a review passes."""

Status = Literal["upcoming", "early", "due", "overdue", "extension", "graduated", "paused"]


@dataclass(frozen=True, slots=True)
class Taken:
    """A review that counted: the rung it took (1 to 5, or EXTENSION), its study day and its score, 0 to 1."""

    rung: int
    day: date
    score: float

    @property
    def passed(self) -> bool:
        return passes(self.score)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a completed lesson stands on its ladder on one day.

    `rung` (1 to 5) is the one that is open, or the next one, and `due` its date. `is_due`: it wants a session today.
    `open`: a scored session today would take that rung, or the extension. `missed` are the rungs whose windows closed
    without a review, `taken` the reviews that counted, in order. `offer_restart`: the last two of these failed.
    """

    lesson: str
    completed: date
    rung: int
    due: date
    status: Status
    is_due: bool
    open: bool
    missed: tuple[int, ...]
    taken: tuple[Taken, ...]
    offer_restart: bool
    cycle: int


def passes(score: float) -> bool:
    """Whether a review of that score passes."""
    # A mean such as (1 + 1 + 0.4) / 3 falls short of 0.8 by a rounding error.
    return round(score, 9) >= PASS


def rung_of(n: int) -> int | None:
    """The rung in whose window the n-th day after completion lies, 1 to 5; None on day 0 and before."""
    return bisect_right(WINDOWS, n) or None


def rung_to_take(completed: date, taken: Sequence[Taken], day: date) -> int | None:
    """The rung (or EXTENSION) that a scored review on `day` takes; None if it is mere practice.

    `taken` are the earlier reviews of the cycle that counted, in order.
    """
    rung = rung_of((day - completed).days)
    if rung is None:
        return None
    last = taken[-1] if taken else None
    if last is None or last.rung < rung:
        return rung
    if last.rung < LAST_RUNG or last.passed:
        return None
    return EXTENSION if day >= _extended(last) else None


def place(history: LessonHistory, today: date) -> Place:
    """Where the lesson stands today. Raises ValueError if it was never completed."""
    completed = history.anchor
    if completed is None:
        raise ValueError(f"{history.lesson} is not completed, so it stands on no rung")
    taken = tuple(Taken(review.rung, review.day, review.score) for review in history.reviews if review.rung is not None)
    last = taken[-1] if taken else None
    reached = min(last.rung, LAST_RUNG) if last else 0
    current = rung_of((today - completed).days) or 0
    rungs = {each.rung for each in taken}
    missed = tuple(rung for rung in range(1, max(current, reached)) if rung not in rungs)

    status: Status
    is_due = is_open = False
    if last is not None and reached == LAST_RUNG:
        rung = LAST_RUNG
        if last.passed:
            status = "graduated"
            due = _extended(taken[-2]) if last.rung == EXTENSION else _due(completed, LAST_RUNG)
        else:
            status = "extension"
            due = _extended(last)
            is_due = is_open = today >= due
    elif reached >= current:
        rung = reached + 1
        status = "upcoming"
        due = _due(completed, rung)
    else:
        rung = current
        due = _due(completed, rung)
        is_open = True
        # A rung that was missed is made up for at once, not only on the date of the one that is open now.
        is_due = today >= due or rung - 1 in missed
        status = "overdue" if today > due else "due" if is_due else "early"

    return Place(
        lesson=history.lesson,
        completed=completed,
        rung=rung,
        due=due,
        status="paused" if history.paused else status,
        is_due=is_due and not history.paused,
        open=is_open,
        missed=missed,
        taken=taken,
        offer_restart=len(taken) > 1 and not any(each.passed for each in taken[-2:]),
        cycle=history.cycle,
    )


def _due(completed: date, rung: int) -> date:
    return completed + timedelta(days=RUNGS[rung - 1])


def _extended(failed: Taken) -> date:
    return failed.day + timedelta(days=EXTENSION_DAYS)
