"""Times as the platforms write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_MOMENT = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})[T ](?P<time>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(?P<zone>\S{1,60})?", re.ASCII
)
_OFFSET = re.compile(r"[+-]\d{2}:?(?:\d{2})?", re.ASCII)


def moment(text: str, without_zone: tzinfo | None = None) -> datetime | None:
    """An aware time, as in `2026-03-01 12:00:00.123456 UTC`, `... +01:00`, `...Z` or `... Europe/Vienna`.

    without_zone: what a time without a zone is in, if the platform says so. None for anything else: an abbreviation
    such as EST or IST means several zones.
    """
    match = _MOMENT.fullmatch(text.strip())
    if not match:
        return None
    zone = match["zone"]
    try:
        if zone and _OFFSET.fullmatch(zone):
            return datetime.fromisoformat(f"{match['day']}T{match['time']}{zone}")
        plain = datetime.fromisoformat(f"{match['day']}T{match['time']}")
    except ValueError:
        return None
    known = _zone(zone) if zone else without_zone
    return plain.replace(tzinfo=known) if known else None


def _zone(name: str) -> tzinfo | None:
    if name in ("Z", "UTC", "GMT"):
        return UTC
    try:
        return ZoneInfo(name) if "/" in name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
