"""On which study days something was answered or graded, week by week."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from grader.records.event import Event
from grader.records.kinds import ANSWER, GRADING
from grader.records.voids import live_events

WEEKS = 26
STEPS = (1, 3, 8, 20)
"""From how many deeds on a day is shown one step stronger."""


@dataclass(frozen=True, slots=True)
class StudyDay:
    """What was done on one study day."""

    day: date
    answers: int
    gradings: int

    @property
    def deeds(self) -> int:
        return self.answers + self.gradings

    @property
    def strength(self) -> int:
        """0 for nothing, then 1 to 4."""
        return sum(self.deeds >= step for step in STEPS)


@dataclass(frozen=True, slots=True)
class StudyWeeks:
    """The last weeks, the present one last. Each has seven places from Monday on; a day to come is None."""

    weeks: tuple[tuple[StudyDay | None, ...], ...]

    @property
    def active(self) -> tuple[StudyDay, ...]:
        """The days on which something was done."""
        return tuple(day for week in self.weeks for day in week if day and day.deeds)

    @property
    def answers(self) -> int:
        return sum(day.answers for day in self.active)

    @property
    def gradings(self) -> int:
        return sum(day.gradings for day in self.active)

    @property
    def fullest(self) -> StudyDay | None:
        """The day on which most was done, the latest of several."""
        return max(self.active, key=lambda each: (each.deeds, each.day), default=None)

    @property
    def month_names(self) -> tuple[tuple[int, str], ...]:
        """At which weeks a month begins, and its name; the first week has one if that month lasts for another."""
        mondays = [week[0].day for week in self.weeks if week[0]]
        begins = [place for place, (one, other) in enumerate(pairwise(mondays), 1) if one.month != other.month]
        places = [0, *begins] if not begins or begins[0] > 2 else begins  # two names side by side would overlap
        return tuple((place, f"{mondays[place]:%b}") for place in places)


def study_weeks(events: Iterable[Event], today: date, weeks: int = WEEKS) -> StudyWeeks:
    """The weeks up to today; what was undone does not count."""
    done: Counter[tuple[date, str]] = Counter(
        (event.study_day, event.type) for event in live_events(events) if event.type in (ANSWER, GRADING)
    )
    monday = today - timedelta(days=today.weekday(), weeks=weeks - 1)

    def at(place: int) -> StudyDay | None:
        day = monday + timedelta(days=place)
        return StudyDay(day, done[day, ANSWER], done[day, GRADING]) if day <= today else None

    return StudyWeeks(tuple(tuple(at(7 * week + weekday) for weekday in range(7)) for week in range(weeks)))
