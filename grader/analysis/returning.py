"""Misconceptions that come back: what a learner had mended, or kept through a passed review, and makes again.

A misconception *comes back* when a grading names it in an exercise in which it was named before, and in between either
that exercise passed (it had been mended) or a scored review of its lesson was passed. What is handed in counts as the
last grading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Any

from grader.course.model import Course
from grader.records.event import Event
from grader.records.kinds import GRADING
from grader.report import FINE
from grader.review.born.named import parts
from grader.review.ladder import passes
from grader.review.sessions import Moment, Session, moment

Mistake = tuple[str, str]
"""The exercise in which it was named, and the misconception."""

MOST_A_LEARNER = 300
"""Different mistakes of one learner that are looked at: a forged log could name any number."""
_LIKE_AN_ID = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9_-]+)+(?:\+[a-z0-9_-]+)*")
_LONGEST_ID = 200


def returned(
    live: Iterable[Event], sessions: Iterable[Session], handed_in: Iterable[Mistake], course: Course
) -> set[Mistake]:
    """The mistakes of one learner that came back. live: the events that count; handed_in: what the graded submission
    names, where a misconception may be two that are joined by a plus sign."""
    gradings = [(moment(event), event.payload) for event in live if event.type == GRADING]
    reviews = [(at, session.lesson) for session in sessions if (at := _passed_at(session)) is not None]
    steps: list[tuple[Moment, Mapping[str, Any] | str]] = sorted([*gradings, *reviews], key=lambda step: step[0])
    known: dict[Mistake, bool] = {}  # whether it has been overcome since it was last named
    back: set[Mistake] = set()
    for _, step in steps:
        if isinstance(step, str):
            known.update((mistake, True) for mistake in known if mistake[0].partition(".")[0] == step)
        else:
            _take(step, known, back, course)
    _name([mistake for each in handed_in for mistake in _split(*each)], known, back)
    return back


def _passed_at(session: Session) -> Moment | None:
    at = None if session.practice else session.finished_at()
    if at is None:
        return None
    scores: Sequence[float] = [float(event.payload["score"]) for _, event in session.firsts.values()]
    return at if passes(fsum(scores) / len(scores)) else None


def _take(grading: Mapping[str, Any], known: dict[Mistake, bool], back: set[Mistake], course: Course) -> None:
    results = grading.get("exercises")
    for exercise, result in results.items() if isinstance(results, dict) else ():
        if not isinstance(result, dict) or not course.has(exercise):
            continue
        status, told = result.get("status"), result.get("misconception")
        if isinstance(status, str) and status in FINE:
            known.update((mistake, True) for mistake in known if mistake[0] == exercise)
        elif isinstance(told, str) and len(told) <= _LONGEST_ID and _LIKE_AN_ID.fullmatch(told):
            _name(_split(exercise, told), known, back)


def _split(exercise: str, told: str) -> list[Mistake]:
    return [(exercise, misconception) for misconception in parts(told)]


def _name(mistakes: Iterable[Mistake], known: dict[Mistake, bool], back: set[Mistake]) -> None:
    for mistake in mistakes:
        if known.get(mistake):
            back.add(mistake)
        if mistake in known or len(known) < MOST_A_LEARNER:
            known[mistake] = False
