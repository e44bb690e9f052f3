"""Where each completed lesson stands on the ladder, in words and as a record."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from grader.review.ladder import RUNGS, Place


def record_of(places: Sequence[Place], today: date) -> dict[str, Any]:
    """What `review --list --format json` prints."""
    return {
        "version": 1,
        "today": today.isoformat(),
        "lessons": [
            {
                "lesson": each.lesson,
                "completed": each.completed.isoformat(),
                "cycle": each.cycle,
                "rung": each.rung,
                "due": each.due.isoformat(),
                "status": each.status,
                "is_due": each.is_due,
                "taken": [
                    {"rung": taken.rung, "day": taken.day.isoformat(), "score": taken.score} for taken in each.taken
                ],
                "missed": list(each.missed),
            }
            for each in places
        ],
    }


def listing(places: Sequence[Place], today: date) -> str:
    """One line a lesson: `heads: rung 2 of 5, due today`."""
    if not places:
        return "No lesson is completed yet, so nothing is reviewed. `anatomy status` shows what comes next."
    width = max(len(each.lesson) for each in places)
    lines = [f"{each.lesson:<{width}}  {standing(each, today)}" for each in places]
    return "\n".join(lines)


def standing(each: Place, today: date) -> str:
    """Where a lesson stands, in words: `rung 2 of 5, due today`."""
    if each.status == "graduated":
        return "graduated: its reviews are done"
    if each.status == "paused":
        return f"paused ({rung_name(each)} falls on {spoken(each.due, today)}); `anatomy pause {each.lesson} --end`"
    if each.is_due:
        when = "due today" if each.due >= today else f"due since {spoken(each.due, today)}"
        return f"{rung_name(each)}, {when}"
    if each.status == "early":
        return f"{rung_name(each)}, due {spoken(each.due, today)}, open already"
    return f"{rung_name(each)}, due {spoken(each.due, today)}"


def rung_name(each: Place) -> str:
    """`rung 2 of 5`, or `repeat of rung 5` for an extension."""
    return f"repeat of rung {len(RUNGS)}" if each.status == "extension" else f"rung {each.rung} of {len(RUNGS)}"


def spoken(day: date, today: date) -> str:
    """A day as people say it: `today`, `tomorrow`, `yesterday`, else `Thu 2026-12-03`."""
    near = {0: "today", 1: "tomorrow", -1: "yesterday"}
    return near.get((day - today).days) or day.strftime("%a %Y-%m-%d")


def nothing_due(places: Sequence[Place], today: date) -> str:
    """What `review` says when there is nothing to do today."""
    coming = [each for each in places if each.status in ("upcoming", "early", "extension")]
    if not places:
        return "Nothing is due: no lesson is completed yet. `anatomy status` shows what comes next."
    if not coming:
        return "Nothing is due: every lesson that was completed has graduated or is paused."
    soonest = min(coming, key=lambda each: each.due)
    return (
        f"Nothing is due today. Next: {soonest.lesson}, {rung_name(soonest)}, {spoken(soonest.due, today)}.\n"
        f"To practise now: `anatomy review {soonest.lesson} --practice`"
    )


def why_closed(lesson: str, places: Sequence[Place], today: date) -> str | None:
    """Why a review of the lesson would take no rung today, and what to do instead; None when it would."""
    if not places:
        return f"{lesson} is not completed yet, so it has no reviews. Try its questions: `anatomy quiz {lesson}`"
    each = places[0]
    if each.open:
        return None
    practise = f"To practise now: `anatomy review {lesson} --practice`"
    return f"{lesson}: {standing(each, today)}. No rung can be taken today.\n{practise}"
