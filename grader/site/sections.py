"""What the sections of the lessons' pages are called, for links that lead there."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from markupsafe import Markup, escape

from grader.course.headings import headings
from grader.course.model import Lesson
from grader.site.text import inline


def section_title(lesson: Lesson, anchor: str) -> Markup:
    """The heading at an anchor; the anchor's words where the page has none of that name."""
    return _titles(lesson.page).get(anchor) or escape(anchor.replace("-", " "))


@cache
def _titles(page: Path) -> dict[str, Markup]:
    return {heading.anchor: inline(heading.text) for heading in headings(page.read_text("utf-8"))}
