"""Events for tests: a made course of three lessons, and what a learner did in it, at noon of numbered days.

Day 0 is the day on which a lesson is completed, unless a test says otherwise.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from grader.course.model import Course, Exercise, Lesson, Limits, Minutes
from grader.records.event import Event, new_event
from grader.review.history import LessonHistory, fold_reviews

DAY_0 = date(2026, 3, 1)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ITEMS = ("one", "two", "three", "four", "five")
"""Five items, so that one miss is a score of 0.8 and two are 0.6."""


def made_lesson(slug: str, *names: str) -> Lesson:
    """A lesson with an exercise of each name."""
    exercises = tuple(Exercise(slug, name, 10, "section", (), "Do it.", (), ("One?", "Two.")) for name in names)
    return Lesson(slug, slug, "", Minutes(1, 1, 1), (), (), Limits(), exercises, Path())


COURSE = Course("Made", (made_lesson("norms", "a", "b"), made_lesson("heads", "c"), made_lesson("lab")), Path())


def day(n: float) -> date:
    """The n-th study day."""
    return DAY_0 + timedelta(days=n)


def event(kind: str, n: float = 0, device: str = "laptop", **payload: Any) -> Event:
    """An event at noon of day n, or a part of a day later."""
    return new_event(kind, payload, NOON + timedelta(days=n), device)


def complete(n: float = 0, lesson: str = "norms", device: str = "laptop") -> Event:
    """The lesson is declared complete."""
    return event("complete", n, device, lesson=lesson)


def graded(n: float, device: str = "laptop", misconception: str | None = None, **statuses: str) -> Event:
    """Exercises are graded: `norms_a="passed"`."""
    exercises = {
        name.replace("_", ".", 1): {
            "status": status,
            "earned": 10 * (status == "passed"),
            "possible": 10,
            "misconception": misconception,
        }
        for name, status in statuses.items()
    }
    return event("grading", n, device, seed=1, exercises=exercises)


def void(target: Event, n: float = 0, device: str = "laptop") -> Event:
    """The event is undone."""
    return event("void", n, device, event=target.id)


def began(
    n: float, lesson: str = "norms", items: Sequence[str] = ITEMS, *, practice: bool = False, device: str = "laptop"
) -> Event:
    """A session is begun."""
    records = [{"item": item, "version": 1, "seed": "5eed", "why": "rotation"} for item in items]
    return event("session", n, device, lesson=lesson, practice=practice, items=records)


_TICKS = itertools.count(1)


def answered(
    session: Event, item: str, score: float = 1.0, *, attempt: int = 1, version: int = 1, n: float = 0
) -> Event:
    """An item of a session is answered, a little later, or n days later."""
    payload = {
        "session": session.id,
        "lesson": session.payload["lesson"],
        "item": item,
        "version": version,
        "try": attempt,
        "seed": "5eed",
        "params": {"n": 3},
        "expected": 6,
        "given": "6" if score == 1 else "7",
        "score": score,
        "missed": score < 1,
    }
    at = session.at + timedelta(days=n, milliseconds=next(_TICKS))
    return replace(new_event("answer", payload, at, session.device), study_day=session.study_day + timedelta(days=n))


def review(
    n: float,
    missed: Sequence[str] = (),
    lesson: str = "norms",
    items: Sequence[str] = ITEMS,
    *,
    practice: bool = False,
    device: str = "laptop",
) -> list[Event]:
    """A whole session, in which the named items are missed."""
    session = began(n, lesson, items, practice=practice, device=device)
    return [session, *(answered(session, item, 0.0 if item in missed else 1.0) for item in items)]


def norms(*events: Event | list[Event]) -> LessonHistory:
    """The history that events, and lists of them, make for the first lesson."""
    flat = [each for part in events for each in (part if isinstance(part, list) else [part])]
    return fold_reviews(flat, COURSE).lessons["norms"]
