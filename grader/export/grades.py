"""The grades of a class as CSV, a line a student."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from grader.export.cells import Cell, csv_line
from grader.export.marks import graded
from grader.gradebook.standing import Standing

COLUMNS = ("student", "earned", "possible")
MORE_COLUMNS = ("name", "email", "final", "submitted", "late_seconds", "late_share", "status")
"""After the exercises, in the long form."""


def lines(
    standings: Iterable[Standing], exercises: Collection[str], *, safe_cells: bool = False, long: bool = False
) -> Iterator[str]:
    """`student, earned, possible` and a column for each exercise id: the header, then a line for each student.

    The points are those of the report, before lateness and overrides. The cell of an exercise is empty if it was not
    asked for, or if a fault of the grader's own kept it from a verdict. safe_cells: see `grader.export.cells.guarded`.
    long: with the columns MORE_COLUMNS as well. final: what counts, after lateness and overrides, and empty when there
    is no verdict; late_seconds: empty when nobody knows; status: `graded`, `by hand` where somebody set points, `no
    verdict` where a fault of the grader's own or a damaged record is in the way. Each line ends with a line feed;
    encode as UTF-8.
    """
    yield header(exercises, long=long)
    for standing in standings:
        yield line(standing, exercises, safe_cells=safe_cells, long=long)


def header(exercises: Collection[str], *, long: bool = False) -> str:
    """The first line, as `lines` describes it."""
    return csv_line((*COLUMNS, *exercises, *(MORE_COLUMNS if long else ())))


def line(standing: Standing, exercises: Collection[str], *, safe_cells: bool = False, long: bool = False) -> str:
    """The line of one student, as `lines` describes it."""
    cells = (*_short(standing, exercises), *(_more(standing) if long else ()))
    return csv_line(cells, safe=safe_cells)


def _short(standing: Standing, exercises: Collection[str]) -> tuple[Cell, ...]:
    report = standing.report
    earned = {each.id: each.earned for each in report.exercises if each.status != "grader_fault"}
    return (standing.student.id, report.earned, report.possible, *(earned.get(id_, "") for id_ in exercises))


def _more(standing: Standing) -> tuple[Cell, ...]:
    known, late = graded(standing), standing.late
    return (
        standing.student.name,
        standing.student.email,
        standing.final if known else "",
        standing.submitted.isoformat() if standing.submitted else "",
        "" if late.seconds is None else late.seconds,
        f"{late.share.normalize():f}",
        "no verdict" if not known else "by hand" if standing.overrides else "graded",
    )
