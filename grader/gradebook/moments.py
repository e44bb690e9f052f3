"""Local times in a zone, as people write due times, and moments as people read them."""

from __future__ import annotations

import difflib
import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, available_timezones

from grader.gradebook.texts import quoted
from grader.records.clock import FIRST_YEAR, LAST_YEAR

EXAMPLE = "2026-03-01 23:59"

_LOCAL = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?", re.ASCII)


def zone_of(name: str) -> ZoneInfo:
    """The zone of that name in the tz database. Raises ValueError with what to write instead."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # not there; no name at all; the folder of a continent
        known = available_timezones()
        if not known:
            raise ValueError("this machine knows no time zones; `pip install tzdata` brings them") from None
        close = difflib.get_close_matches(name, known, n=1)
        advice = f"did you mean {close[0]}?" if close else "write one like Europe/Zurich"
        raise ValueError(f"{quoted(name)} is no time zone; {advice}") from None


def local_moment(text: str, zone: ZoneInfo) -> datetime:
    """The moment at which the clocks of a zone show `text` (`2026-03-01 23:59`, seconds if wanted), in UTC.

    A time that the clocks show twice, in autumn, is the later of the two, which is in favour of who hands in; one that
    they never show, in spring, is refused. Raises ValueError with what to write instead.
    """
    try:
        wall = datetime.fromisoformat(text) if _LOCAL.fullmatch(text) else None
    except ValueError:
        wall = None
    if wall is None or not FIRST_YEAR < wall.year <= LAST_YEAR:
        raise ValueError(f"{quoted(text)} is no date with a time; write it like {EXAMPLE}")
    moment = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None, fold=0) != wall:
        raise ValueError(
            f"{text} does not exist in {zone.key}, where the clocks skip it; write an earlier or later one"
        )
    return moment


def moment(text: str, zone: str) -> datetime:
    """A time with an offset of its own (`2026-03-01T23:59+01:00`), or a local one in the zone; in UTC.

    Raises ValueError with what to write instead.
    """
    try:
        own = datetime.fromisoformat(text)
    except ValueError:
        own = None
    if own is not None and own.tzinfo is not None and FIRST_YEAR < own.year <= LAST_YEAR:
        return own.astimezone(UTC)
    return local_moment(text, zone_of(zone))


def told(moment: datetime, zone: str) -> str:
    """A moment for people: the clocks of the zone, with the offset, since they may show one time twice.

    In UTC on a machine that does not know the zone.
    """
    try:
        local = moment.astimezone(zone_of(zone))
    except ValueError:
        local, zone = moment.astimezone(UTC), "UTC"
    seconds = ":%S" if local.second else ""
    offset = local.isoformat()[-6:]
    return f"{local.strftime(f'%Y-%m-%d %H:%M{seconds}')} ({offset} {zone})"
