"""The page that a student gets back: the points and where they come from, then what to mend, then every exercise."""

from __future__ import annotations

from datetime import datetime

from grader.course.model import Course
from grader.gradebook.standing import Standing
from grader.render.ledger import ledger, length, moment
from grader.render.page import page
from grader.render.sheet import sheet


def feedback(
    standing: Standing, course: Course, title: str = "", zone: str = "UTC", due: datetime | None = None
) -> str:
    """One self-contained page. title: the assignment's, where it has one; zone: in whose time it is told; due: when the
    assignment was, for this student if an extension was given.

    Why a person set points by hand is not on it: the reason is for those who keep the gradebook. Everything that came
    from a submission or from a platform is escaped, a held-out seed is not shown, and nothing on the page is told by
    colour alone.
    """
    points = ledger(standing)
    late = standing.late.seconds or 0
    return page(
        "feedback.html",
        standing=standing,
        student=standing.student,
        report=standing.report,
        ledger=points,
        title=title,
        zone=zone,
        due=f"{moment(due, zone)}{'' if zone == 'UTC' else f' ({zone})'}" if due else "",
        submitted=moment(standing.submitted, zone) if standing.submitted else "",
        late=length(late) if late > 0 else "",
        moment=moment,
        sheet=sheet(
            standing.report,
            course,
            {id_: each.points for id_, each in points.given.items()},
            whole=any(each.exercise is None for each in standing.overrides),
        ),
    )
