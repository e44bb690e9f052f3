"""The months ahead as weeks of days, each with the rungs that it asks for."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from grader.review.forecast import Coming, Day

FEWEST = 2


@dataclass(frozen=True, slots=True)
class CalendarDay:
    """One day of a month. past: before today."""

    day: date
    coming: tuple[Coming, ...]
    is_today: bool
    past: bool


@dataclass(frozen=True, slots=True)
class Month:
    """A month in weeks of seven places from Monday on; a place outside of the month is None."""

    first: date
    weeks: tuple[tuple[CalendarDay | None, ...], ...]

    @property
    def name(self) -> str:
        return f"{self.first:%B %Y}"


def months_ahead(days: Sequence[Day], today: date) -> tuple[Month, ...]:
    """This month and the next one, and the one after that where a rung falls into it."""
    asked = {each.day: each.coming for each in days}
    firsts = [today.replace(day=1)]
    while len(firsts) < FEWEST or (asked and _after(firsts[-1]) <= max(asked)):
        firsts.append(_after(firsts[-1]))
    return tuple(_month(first, asked, today) for first in firsts)


def _after(first: date) -> date:
    return date(first.year + first.month // 12, first.month % 12 + 1, 1)


def _month(first: date, asked: dict[date, tuple[Coming, ...]], today: date) -> Month:
    weeks = calendar.Calendar(calendar.MONDAY).monthdatescalendar(first.year, first.month)
    return Month(
        first,
        tuple(
            tuple(
                CalendarDay(day, asked.get(day, ()), day == today, day < today) if day.month == first.month else None
                for day in week
            )
            for week in weeks
        ),
    )
