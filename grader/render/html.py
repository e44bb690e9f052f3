"""A report as one self-contained page: no script, no font, nothing fetched."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from grader.course.model import Course
from grader.render.text import WORDS
from grader.report import Report


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("grader.render"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("report.html")


def render(report: Report, course: Course) -> str:
    """The page. Everything that came from a submission is escaped."""
    return _template().render(report=report, course=course, words=WORDS)
