"""One student's account in one assignment: the ledger read from its first line on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from grader.batch.handed_in import Student
from grader.gradebook.assignment import Assignment
from grader.gradebook.late import lateness, rounded
from grader.gradebook.moments import told
from grader.gradebook.standing import Lateness, Override, Standing
from grader.gradebook.why import HandIn
from grader.report import Report

ASSIGNMENT, STANDING = "assignment", "standing"
EXTENSION, OVERRIDE, SUBMITTED, WITHDRAWAL = "extension", "override", "submitted", "withdrawal"
GRADED = "graded"
"""A grading that was recorded and has never counted; it stands in no line of the ledger."""
WITHDRAWABLE = (EXTENSION, OVERRIDE, SUBMITTED)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the ledger; which fields it fills depends on its kind.

    handed_in: of a decision only the student is of use; submission: the hash of the one that counts from here on;
    until: the moment that an extension or a time of handing in sets.
    """

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
    submission: str | None = None


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
        self._submission: str | None = None
        self._named: Student | None = None
        self._given: dict[int, Line] = {}
        self._times: dict[int, str | None] = {}

    def read(self, line: Line) -> None:
        """Go on by one line."""
        if line.kind == ASSIGNMENT:
            self.assignment = line.definition
        elif line.kind == STANDING:
            self.grading, self.handed_in, self._submission = line.grading, line.handed_in, line.submission
        elif line.kind == WITHDRAWAL and line.withdraws is not None:
            self._given.pop(line.withdraws, None)
        elif line.kind in WITHDRAWABLE:
            self._given[line.number] = line
            self._times[line.number] = self._submission  # a time is that of what had been handed in by then
            if line.handed_in is not None and (self._named is None or line.handed_in.student.name):
                self._named = line.handed_in.student

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
        flagged = self.handed_in.late and self.submitted_by_hand is None
        late = lateness(self.assignment.late, self.assignment.due, self.submitted, flagged, self.extension)
        whole = any(override.exercise is None for override in self.overrides)
        # Nothing is taken from what a person set for the whole, so nothing may say that it is.
        return replace(late, share=Decimal(0), says="") if whole else late

    @property
    def submitted_by_hand(self) -> datetime | None:
        """The time of handing in that a person set last for the submission that counts now."""
        moments = [
            line.until
            for line in self._given.values()
            if line.kind == SUBMITTED and self._times[line.number] == self._submission
        ]
        return moments[-1] if moments else None

    @property
    def submitted(self) -> datetime | None:
        """When what counts was handed in."""
        return self.submitted_by_hand or (self.handed_in.submitted if self.handed_in else None)

    @property
    def student(self) -> Student | None:
        """Who it is: by what was handed in, else by what a person wrote."""
        return self.handed_in.student if self.handed_in else self._named

    @property
    def counts(self) -> bool:
        """Whether there are points: by a grading, or by hand alone."""
        return self.handed_in is not None or bool(self.overrides)

    def standing(self, report: Report, earned: int | None = None) -> Standing | None:
        """What counts, given the report of `grading`; None while there is nothing.

        earned: what the report came to, where it is damaged and `report` stands in its place.
        """
        student = self.student
        if not self.counts or student is None:
            return None
        late, overrides = self.lateness, self.overrides
        final = final_points(report, late, overrides, earned)
        return Standing(student, report, final, self.submitted, late, overrides, damaged=earned is not None)


def final_points(report: Report, late: Lateness, overrides: Sequence[Override], total: int | None = None) -> Decimal:
    """What counts: earned by exercise, overrides in place of them, less what being late costs; or what a person set for
    the whole assignment, from which nothing is taken. Rounded once, half up to 0.01.

    total: what was earned in all, where nobody knows by exercise.
    """
    given = {override.exercise: override.points for override in overrides}
    whole = given.pop(None, None)
    if whole is not None:
        return rounded(whole)
    if total is not None:
        return rounded(total * (1 - late.share))
    earned = {exercise.id: Decimal(exercise.earned) for exercise in report.exercises} | given
    return rounded(sum(earned.values(), Decimal(0)) * (1 - late.share))


def says(line: Line, before: Account) -> str:
    """What a line did, in words."""
    zone = before.assignment.zone if before.assignment else "UTC"
    if line.kind == ASSIGNMENT and line.definition is not None:
        return _redefined(before.assignment, line.definition)
    if line.kind == EXTENSION and line.until is not None:
        return f"extended until {told(line.until, zone)}"
    if line.kind == SUBMITTED and line.until is not None:
        return f"handed in {told(line.until, zone)}, by hand"
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
