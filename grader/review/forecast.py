"""What comes: the rungs that lie ahead of each lesson, and on which days they will ask for a session."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from grader.review.ladder import EXTENSION, LAST_RUNG, RUNGS, place

if TYPE_CHECKING:
    from grader.review.history import LessonHistory, Reviews

_NOTHING_AHEAD = frozenset({"graduated", "paused"})


@dataclass(frozen=True, slots=True)
class Coming:
    """A rung that nobody has taken yet and that can still be taken.

    `rung` is 1 to 5; `extension` is 0, or counts the repeats of a failed fifth rung from 1. `due` is the date that was
    promised, `asks` the day on which a session is wanted: today if one is wanted already, else `due`.
    """

    lesson: str
    cycle: int
    rung: int
    extension: int
    due: date
    asks: date

    @property
    def name(self) -> str:
        """The rung as a person reads it: `rung 2 of 5`, `repeat of rung 5`."""
        return f"repeat of rung {self.rung}" if self.extension else f"rung {self.rung} of {LAST_RUNG}"


@dataclass(frozen=True, slots=True)
class Day:
    """One day of a forecast and what it asks for, in the order of the course."""

    day: date
    coming: tuple[Coming, ...]


def coming(reviews: Reviews, today: date) -> tuple[Coming, ...]:
    """All rungs ahead of all lessons that are neither paused nor graduated, by date, then in the order of the course.

    A failed fifth rung has a repeat ahead; one that may fail yet has none.
    """
    found = [each for history in reviews.lessons.values() for each in _ahead(history, today)]
    return tuple(sorted(found, key=lambda each: each.due))


def forecast(reviews: Reviews, today: date, days: int, lessons: Collection[str] | None = None) -> tuple[Day, ...]:
    """What today and the `days` days after it ask for, if each session is held on the day that asks for it and passes.

    Days without any are left out; `lessons` limits it to some. Since no due date ever moves, only a failed fifth rung
    can add to it.
    """
    by_day: dict[date, list[Coming]] = {}
    for lesson, history in reviews.lessons.items():
        for each in _ahead(history, today) if lessons is None or lesson in lessons else ():
            if (each.asks - today).days <= days:
                by_day.setdefault(each.asks, []).append(each)
    return tuple(Day(day, tuple(by_day[day])) for day in sorted(by_day))


def record(days: Sequence[Day], today: date) -> dict[str, Any]:
    """The forecast as JSON: days that ask for nothing are not in it."""
    return {
        "version": 1,
        "today": today.isoformat(),
        "days": [
            {
                "date": day.day.isoformat(),
                "lessons": [
                    {
                        "lesson": each.lesson,
                        "rung": each.rung,
                        "extension": each.extension > 0,
                        "due": each.due.isoformat(),
                    }
                    for each in day.coming
                ],
            }
            for day in days
        ],
    }


def told(days: Sequence[Day], today: date) -> str:
    """The forecast in words, a line a day."""
    if not days:
        return "No review falls into these days."
    spoken = {today: "today", today + timedelta(days=1): "tomorrow"}
    lines = []
    for day in days:
        when = f"{day.day:%a} {day.day}"
        what = ", ".join(f"{each.lesson} ({each.name})" for each in day.coming)
        lines.append(f"{when}  {spoken.get(day.day, ''):<8}  {what}")
    return "\n".join(lines)


def _ahead(history: LessonHistory, today: date) -> Iterator[Coming]:
    if history.anchor is None:
        return
    at = place(history, today)
    if at.status in _NOTHING_AHEAD:
        return
    asks = today if at.is_due else at.due
    if at.taken and at.taken[-1].rung >= LAST_RUNG:
        extension = sum(taken.rung == EXTENSION for taken in at.taken) + 1
        yield Coming(at.lesson, at.cycle, LAST_RUNG, extension, at.due, asks)
        return
    yield Coming(at.lesson, at.cycle, at.rung, 0, at.due, asks)
    for rung in range(at.rung + 1, LAST_RUNG + 1):
        due = at.completed + timedelta(days=RUNGS[rung - 1])
        yield Coming(at.lesson, at.cycle, rung, 0, due, due)
