"""What a layout makes of an export, before students who are there twice are told apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from grader.batch.handed_in import Refused, Student
from grader.batch.naming import comparable, shown
from grader.batch.tree import Branch, Tree
from grader.course.model import Course


@dataclass(frozen=True, slots=True)
class Asked:
    """What the person asked for: the lessons, of what (as a sentence calls it), and what to take off the names of
    repositories."""

    course: Course
    lessons: tuple[str, ...]
    where: str
    prefix: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """One submission. label: what a person finds it by, inside the export; rank: orders the submissions of one student
    where no time does, the highest counts."""

    students: tuple[Student, ...]
    label: str
    tree: Tree
    submitted: datetime | None = None
    late: bool = False
    rank: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A layout was recognised. says: what, without the count."""

    layout: str
    says: str
    drafts: tuple[Draft, ...]
    refused: tuple[Refused, ...] = ()
    remark: str = ""


def settled(drafts: Sequence[Draft]) -> tuple[list[Draft], list[Refused]]:
    """Each student once, by id: the later submission, or the first by name where nothing says which is later."""
    of: dict[str, list[int]] = {}
    for place, draft in enumerate(drafts):
        for key in dict.fromkeys(_key(student) for student in draft.students):
            of.setdefault(key, []).append(place)
    counts = {key: _newest([(place, drafts[place]) for place in places]) for key, places in of.items()}
    kept: list[Draft] = []
    refused: list[Refused] = []
    for place, draft in enumerate(drafts):
        mine: dict[str, Student] = {}
        for student in draft.students:
            key = _key(student)
            better = counts[key]
            if better == place:
                mine.setdefault(key, student)
            else:
                refused.append(_second(draft, student, drafts[better]))
        if mine:
            kept.append(replace(draft, students=tuple(mine.values())))
    return kept, refused


def numbered(name: str) -> int:
    """The number that a platform's name ends in, 0 without one."""
    digits = name[len(name.rstrip("0123456789")) :]
    return int(digits[-18:]) if digits.isascii() and digits else 0


def by_label(drafts: Iterable[Draft]) -> tuple[Draft, ...]:
    """In the order of their names, so that a run always begins with the same."""
    return tuple(sorted(drafts, key=lambda draft: draft.label))


def _key(student: Student) -> str:
    return comparable(student.id)


def _newest(places: list[tuple[int, Draft]]) -> int:
    timed = all(draft.submitted is not None for _, draft in places)

    def order(each: tuple[int, Draft]) -> tuple[datetime, tuple[int, ...]]:
        submitted = each[1].submitted if timed else None
        return submitted or datetime.min.replace(tzinfo=UTC), each[1].rank

    return max(places, key=order)[0]  # of equals the first


def _second(draft: Draft, student: Student, better: Draft) -> Refused:
    times = draft.submitted != better.submitted and draft.submitted is not None and better.submitted is not None
    why = "is later" if times or draft.rank != better.rank else "comes first by name"
    return Refused(
        _label(draft), f"{shown(student.id)} is there twice: {_label(better)} {why} and counts", ordinary=True
    )


def _label(draft: Draft) -> str:
    return shown(draft.label) + ("/" if isinstance(draft.tree, Branch) else "")
