"""From a standing to the number that another platform keeps, and what is said about students who get none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from grader.export.cells import number, plain
from grader.gradebook.standing import Standing

NAMED = 20
"""Students that a note names; of more, the number says enough."""
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Filled:
    """A file for a platform, and what its instructor should know before importing it, a sentence each."""

    content: bytes
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """What another platform needs of one standing. final: None while a fault of the grader's own is in the way."""

    id: str
    name: str
    final: Decimal | None
    possible: int
    comment: str = ""

    def on_scale(self, maximum: Decimal) -> Decimal | None:
        """The points on a scale from 0 to `maximum`, never outside of it; None where there is nothing to scale."""
        if self.final is None or not self.possible:
            return None
        return min(max(self.final * maximum / self.possible, Decimal(0)), maximum)

    @property
    def outside(self) -> bool:
        """Whether the points, set by hand, are below 0 or above what is possible."""
        return self.final is not None and not 0 <= self.final <= self.possible


def graded(standing: Standing) -> bool:
    """Whether there is a verdict: no fault of the grader's own and no damaged record, or points set by hand in its
    place."""
    by_hand = {override.exercise for override in standing.overrides}
    if standing.damaged:
        return None in by_hand
    faults = {each.id for each in standing.report.exercises if each.status == "grader_fault"}
    return None in by_hand or faults <= by_hand


def mark(standing: Standing, comment: str = "") -> Mark:
    """The little of a standing that has to be kept until a template has been read."""
    final = standing.final if graded(standing) else None
    return Mark(standing.student.id, standing.student.name, final, standing.possible, comment)


def named(students: Iterable[str]) -> str:
    """The names in a sentence, shortened to what a person reads."""
    names = [_short(student) for student in students]
    more = len(names) - NAMED
    between = "; " if any("," in name for name in names) else ", "  # else nobody could tell where a name ends
    return between.join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def scale_note(marks: Sequence[Mark], maximum: Decimal, where: str) -> str:
    """How points become grades, in a sentence; empty where they are the same."""
    possible = {mark.possible for mark in marks if mark.final is not None}
    if not possible or possible == {maximum}:
        return ""
    of = number(possible.pop()) if len(possible) == 1 else "the points possible"
    top = number(maximum)
    return f"Points are scaled: {where} is {top}, so a grade is the points x {top} / {of}, rounded to two decimals."


def common_notes(marks: Sequence[Mark]) -> list[str]:
    """What is to be said of standings on any platform."""
    notes = []
    if faults := [mark.id for mark in marks if mark.final is None]:
        notes.append(
            f"No grade, since a fault of the grader's own or a damaged record is in the way: {named(faults)}. Grade "
            "them again (`anatomy regrade`) or set their points (`anatomy gradebook override`)."
        )
    if outside := [mark.id for mark in marks if mark.outside]:
        notes.append(f"Points below 0 or above what is possible, cut off there: {named(outside)}.")
    return notes


def _short(student: str) -> str:
    text = plain(student).replace("\n", "\\n").replace("\t", "\\t")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
