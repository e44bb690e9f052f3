"""Time: the one place that reads the clock, and the one that computes a study day. Everything else is told the time."""

import os
from collections.abc import Mapping
from datetime import date, datetime, timedelta

from grader.errors import UserError

NOW_VARIABLE = "ANATOMY_NOW"
DEFAULT_ROLLOVER_HOUR = 4
LATEST_ROLLOVER_HOUR = 6

FIRST_YEAR, LAST_YEAR = 1970, 9998  # inside these, hours can be added and zones changed without overflow


def now(environ: Mapping[str, str] = os.environ) -> datetime:
    """The present moment with its UTC offset: ANATOMY_NOW if that is set, else the system's local time.

    Raises UserError if ANATOMY_NOW is not an ISO 8601 time with an offset.
    """
    text = environ.get(NOW_VARIABLE, "").strip()
    if not text:
        present = datetime.now().astimezone()
        if not _is_usable(present):
            raise UserError(
                f"This machine's clock says {present:%Y-%m-%d}. Set it, or name the time in {NOW_VARIABLE}."
            )
        return present
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or not _is_usable(moment):
        example = "2026-03-01T09:30:00+01:00"
        raise UserError(f"{NOW_VARIABLE} is {text!r}, which is not a time with an offset. Write it like {example}.")
    return moment


def _is_usable(moment: datetime) -> bool:
    """Whether a log may hold its study day; that of a year's first hours lies in the year before."""
    return FIRST_YEAR < moment.year <= LAST_YEAR


def study_day(wall_clock: datetime, rollover_hour: int = DEFAULT_ROLLOVER_HOUR, not_before: date | None = None) -> date:
    """The date of the local wall clock minus `rollover_hour` hours (0 to 6).

    The hours are taken off the wall clock, not off the moment: on a day when the clocks change, the study day still
    begins when the clock on the wall shows `rollover_hour`. `not_before` is the study day that the log has reached: it
    goes on if the clock is one day short of it, as after a flight to the west; a clock further back is taken at its
    word. Raises ValueError for another hour.
    """
    if not 0 <= rollover_hour <= LATEST_ROLLOVER_HOUR:
        raise ValueError(f"the rollover hour is 0 to {LATEST_ROLLOVER_HOUR}, not {rollover_hour}")
    day = (wall_clock.replace(tzinfo=None) - timedelta(hours=rollover_hour)).date()
    return not_before if not_before is not None and not_before - day == timedelta(days=1) else day
