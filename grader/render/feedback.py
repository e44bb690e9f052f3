"""The page that a student gets back: the points and where they come from, then what to mend, then every exercise."""

from __future__ import annotations

from grader.course.model import Course
from grader.gradebook.standing import Standing
from grader.render.ledger import ledger, length, moment
from grader.render.page import page
from grader.render.sheet import sheet


def feedback(standing: Standing, course: Course, title: str = "") -> str:
    """One self-contained page. title: the assignment's, where it has one.

    Everything that came from a submission or from a platform is escaped, a held-out seed is not shown, and nothing on
    the page is told by colour alone.
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
        submitted=moment(standing.submitted) if standing.submitted else "",
        late=length(late) if late > 0 else "",
        moment=moment,
        sheet=sheet(standing.report, course, {id_: each.points for id_, each in points.given.items()}),
    )
