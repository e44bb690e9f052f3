"""The home page: where to begin, the way through the course, and, where a server stands behind it, where one stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.course.model import Course, Lesson, duration
from grader.site.home_state import HomeState, LessonStanding
from grader.site.needs import NeedsMap, needs_map
from grader.site.pages import page
from grader.site.panels import PANELS
from grader.site.panels.model import Panel

LIVE_SCRIPTS = ("renew", "live", "home")
QUIZ = "quiz"
"""The anchor of the questions on a lesson's page."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A lesson as the course map shows it. needs, needed_for: lessons; standing: None on a page of no learner's."""

    number: int
    lesson: Lesson
    panels: tuple[Panel, ...]
    needs: tuple[Lesson, ...]
    needed_for: tuple[Lesson, ...]
    standing: LessonStanding | None


def home_page(course: Course, live: HomeState | None = None) -> str:
    """The page. live: where the learner stands, for a page that is served."""
    standings = {each.lesson.slug: each for each in live.lessons} if live else {}
    return page(
        "index.html",
        scripts=LIVE_SCRIPTS if live else (),
        live=live is not None,
        course=course,
        home=live,
        stops=_stops(course, standings),
        needs=_drawn_needs(course),
        minutes=sum(lesson.minutes.total for lesson in course.lessons),
        duration=duration,
        quiz=QUIZ,
    )


def _stops(course: Course, standings: Mapping[str, LessonStanding]) -> tuple[Stop, ...]:
    return tuple(
        Stop(
            number,
            lesson,
            panels=tuple(panel for panel in PANELS if panel.lesson == lesson.slug),
            needs=tuple(each for each in course.lessons if each.slug in lesson.needs),
            needed_for=tuple(each for each in course.lessons if lesson.slug in each.needs),
            standing=standings.get(lesson.slug),
        )
        for number, lesson in enumerate(course.lessons, 1)
    )


def _drawn_needs(course: Course) -> NeedsMap:
    return needs_map([(lesson.slug, lesson.title, lesson.needs) for lesson in course.lessons])
