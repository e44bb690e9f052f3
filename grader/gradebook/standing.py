"""What one student has in one assignment: the report that counts, and what becomes of its points."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from grader.batch.handed_in import Student
from grader.report import Report


@dataclass(frozen=True, slots=True)
class Lateness:
    """How late a submission came, after grace and extension, and what that costs.

    seconds: 0 if it was in time, None if nobody knows when it came; share: the part of the earned points that is taken
    away, 0 to 1; says: one sentence for the student, empty if nothing is taken.
    """

    seconds: int | None = None
    share: Decimal = Decimal(0)
    says: str = ""


@dataclass(frozen=True, slots=True)
class Override:
    """Points that a person gave by hand. exercise: None for the whole assignment; at: with an offset."""

    exercise: str | None
    points: Decimal
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Standing:
    """final: what counts, `earned` of the report less what being late costs, overrides applied (they are final: no
    lateness is taken from what a person set for the whole assignment, and `late` says so).

    Where points are by hand alone, and nothing was graded, every exercise of the report is `not_started`."""

    student: Student
    report: Report
    final: Decimal
    submitted: datetime | None = None
    late: Lateness = Lateness()
    overrides: tuple[Override, ...] = ()
    damaged: bool = False
    """Whether the report in the gradebook cannot be read: `report` stands in its place, `final` is right only where no
    single exercise was set by hand."""

    @property
    def possible(self) -> int:
        return self.report.possible
