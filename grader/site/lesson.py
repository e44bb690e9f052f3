"""One lesson's page: its text from top to bottom, with pictures, exercises and the quiz where they belong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from grader.course.model import Course, Exercise, Lesson
from grader.site.export import golden
from grader.site.pages import page
from grader.site.panels import PANELS
from grader.site.panels.model import Panel
from grader.site.text import Part, lesson_text

QUIZ_AFTER = "review"
"""The anchor of the section that the quiz ends."""
SCRIPTS = ("core", "draw", "player")
LIVE_SCRIPTS = ("swap", "renew", "live", "own")


@dataclass(frozen=True, slots=True)
class LivePart:
    """What a served page adds. results: the standing of each exercise by name; quiz: the section as it stands."""

    results: Mapping[str, Markup]
    quiz: Markup


def panels_of(lesson: Lesson) -> tuple[Panel, ...]:
    """The pictures on a lesson's page."""
    return tuple(panel for panel in PANELS if panel.lesson == lesson.slug)


def lesson_page(course: Course, lesson: Lesson, quiz: Markup, live: LivePart | None = None) -> str:
    """The page of a lesson. quiz: its questions on paper, for a page that no server stands behind."""
    place = course.lessons.index(lesson)
    panels = panels_of(lesson)
    scripts = [*SCRIPTS, *(f"panels/{panel.name}" for panel in panels)] if panels else []
    if live:
        scripts = [*(scripts or SCRIPTS[:1]), *LIVE_SCRIPTS]
    return page(
        "lesson.html",
        scripts=scripts,
        live=live is not None,
        course=course,
        lesson=lesson,
        number=place + 1,
        before=course.lessons[place - 1] if place else None,
        after=course.lessons[place + 1] if place + 1 < len(course.lessons) else None,
        text=lesson_text(lesson.page.read_text("utf-8")),
        panels=panels,
        golden=golden,
        panels_after=lambda part, section: [p for p in panels if p.after == (part.anchor or section.anchor)],
        exercises_at=lambda part: _exercises_at(lesson, part),
        quiz_after=QUIZ_AFTER,
        quiz=live.quiz if live else quiz,
        results=live.results if live else {},
    )


def _exercises_at(lesson: Lesson, part: Part) -> list[Exercise]:
    return [exercise for exercise in lesson.exercises if part.anchor and exercise.section == part.anchor]
