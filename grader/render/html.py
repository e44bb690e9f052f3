"""A report as one self-contained page: no script, no font, nothing fetched."""

from __future__ import annotations

from grader.course.model import Course
from grader.render.page import page
from grader.render.sheet import sheet
from grader.report import Report


def render(report: Report, course: Course) -> str:
    """The page. Everything that came from a submission is escaped."""
    return page("report.html", report=report, sheet=sheet(report, course))
