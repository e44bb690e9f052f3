"""One student's account in one assignment: the ledger read from its first line on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from grader.gradebook.assignment import Assignment
from grader.gradebook.late import lateness, rounded
from grader.gradebook.moments import told
from grader.gradebook.standing import Lateness, Override, Standing
from grader.gradebook.why import HandIn
from grader.report import Report

ASSIGNMENT, STANDING = "assignment", "standing"
EXTENSION, OVERRIDE, WITHDRAWAL = "extension", "override", "withdrawal"
GRADED = "graded"
"""A grading that was recorded and has never counted; it stands in no line of the ledger."""
WITHDRAWABLE = (EXTENSION, OVERRIDE)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the ledger; which fields it fills depends on its kind."""

    number: int
    kind: str
    at: datetime
    who: str
    reason: str
    definition: Assignment | None = None
    grading: int | None = None
    handed_in: HandIn | None = None
    until: datetime | None = None
    exercise: str | None = None
    points: Decimal | None = None
    withdraws: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a student's history.

    number: what `withdraw` calls it; kind: one of the words above; says: what happened; reason and who: why, and who
    did it (empty where the program did); before and after: the points that counted, None while nothing was graded.
    """

    number: int
    kind: str
    at: datetime
    says: str
    reason: str
    who: str
    before: Decimal | None
    after: Decimal | None
    withdrawn: bool = False


class Account:
    """What holds after the lines that were read so far."""

    def __init__(self) -> None:
        self.assignment: Assignment | None = None
        self.grading: int | None = None
        self.handed_in: HandIn | None = None
        self._given: dict[int, Line] = {}

    def read(self, line: Line) -> None:
        """Go on by one line."""
        if line.kind == ASSIGNMENT:
            self.assignment = line.definition
        elif line.kind == STANDING:
            self.grading, self.handed_in = line.grading, line.handed_in
        elif line.kind == WITHDRAWAL and line.withdraws is not None:
            self._given.pop(line.withdraws, None)
        elif line.kind in WITHDRAWABLE:
            self._given[line.number] = line

    @property
    def extension(self) -> datetime | None:
        """The one that was given last."""
        moments = [line.until for line in self._given.values() if line.kind == EXTENSION]
        return moments[-1] if moments else None

    @property
    def overrides(self) -> tuple[Override, ...]:
        """The one that was given last, for each exercise and for the whole."""
        last: dict[str | None, Line] = {}
        for line in self._given.values():
            if line.kind == OVERRIDE:
                last[line.exercise] = line
        return tuple(
            Override(line.exercise, line.points, line.reason, line.who, line.at)
            for line in last.values()
            if line.points is not None
        )

    @property
    def lateness(self) -> Lateness:
        if self.assignment is None or self.handed_in is None:
            return Lateness()
        handed_in = self.handed_in
        return lateness(self.assignment.late, self.assignment.due, handed_in.submitted, handed_in.late, self.extension)

    def standing(self, report: Report) -> Standing | None:
        """What counts, given the report of `grading`; None while nothing was graded."""
        if self.handed_in is None:
            return None
        late, overrides = self.lateness, self.overrides
        final = final_points(report, late, overrides)
        return Standing(self.handed_in.student, report, final, self.handed_in.submitted, late, overrides)


def final_points(report: Report, late: Lateness, overrides: Sequence[Override]) -> Decimal:
    """What counts: earned by exercise, overrides in place of them, less what being late costs; or what a person set for
    the whole assignment, from which nothing is taken. Rounded once, half up to 0.01."""
    given = {override.exercise: override.points for override in overrides}
    whole = given.pop(None, None)
    if whole is not None:
        return rounded(whole)
    earned = {exercise.id: Decimal(exercise.earned) for exercise in report.exercises} | given
    return rounded(sum(earned.values(), Decimal(0)) * (1 - late.share))


def says(line: Line, before: Account) -> str:
    """What a line did, in words."""
    zone = before.assignment.zone if before.assignment else "UTC"
    if line.kind == ASSIGNMENT and line.definition is not None:
        return _redefined(before.assignment, line.definition)
    if line.kind == EXTENSION and line.until is not None:
        return f"extended until {told(line.until, zone)}"
    if line.kind == OVERRIDE:
        return f"{line.exercise or 'the whole assignment'} set to {line.points} points"
    if line.kind == WITHDRAWAL:
        return f"number {line.withdraws} withdrawn"
    return "counts from here on"


def _redefined(old: Assignment | None, new: Assignment) -> str:
    if old is None:
        return f"the assignment was made: {new}"
    parts = []
    if old.title != new.title:
        parts.append(f"title {old.title!r} -> {new.title!r}")
    if old.lessons != new.lessons:
        parts.append(f"lessons {', '.join(old.lessons)} -> {', '.join(new.lessons)}")
    if (old.due, old.zone) != (new.due, new.zone):
        parts.append(f"due {_due(old)} -> {_due(new)}")
    if old.late != new.late:
        parts.append(f"late: {old.late} -> {new.late}")
    return f"the assignment changed: {'; '.join(parts)}"


def _due(assignment: Assignment) -> str:
    return told(assignment.due, assignment.zone) if assignment.due else "whenever"
