"""What a page says of a report, in order: how it went in one sentence, lesson by lesson, and what to mend first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from grader.course.model import Course
from grader.render.page import counted
from grader.report import ExerciseResult, Report

MENDED_FIRST = 3
"""More than a few things at once are none."""


@dataclass(frozen=True, slots=True)
class LessonPart:
    """One lesson of a report. earned: the points that its exercises have, those given by hand included."""

    slug: str
    title: str
    results: tuple[ExerciseResult, ...]
    earned: Decimal

    @property
    def possible(self) -> int:
        return sum(result.possible for result in self.results)

    @property
    def passed(self) -> int:
        return sum(result.fine for result in self.results)

    @property
    def share(self) -> float:
        return float(self.earned) / self.possible if self.possible else 0.0


@dataclass(frozen=True, slots=True)
class Mend:
    """An exercise that is worth mending before others, and why; empty where no points are to be had by that."""

    result: ExerciseResult
    why: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """says: the whole in one sentence; mend: what comes first, at most MENDED_FIRST; write: the next one that nothing
    is written for yet, write_pays: whether points are to be had by that; alone: whether there is no lesson but one, so
    that a table of lessons says nothing."""

    says: str
    lessons: tuple[LessonPart, ...]
    mend: tuple[Mend, ...]
    write: ExerciseResult | None
    write_pays: bool

    @property
    def alone(self) -> bool:
        return len(self.lessons) == 1


def sheet(report: Report, course: Course, given: Mapping[str, Decimal] | None = None, *, whole: bool = False) -> Sheet:
    """The sheet of a report. given: points of exercises that a person gave by hand, by id; whole: whether all of the
    points were given by hand."""
    by_hand = given or {}
    titles = {lesson.slug: lesson.title for lesson in course.lessons}
    slugs = [slug for slug in titles if report.of_lesson(slug)]
    # A report of another version of the course may speak of lessons that this one has not.
    slugs += [slug for slug in dict.fromkeys(result.lesson for result in report.exercises) if slug not in titles]
    lessons = tuple(_part(slug, titles.get(slug, slug), report.of_lesson(slug), by_hand) for slug in slugs)
    set_by_hand = {result.id for result in report.exercises if whole or result.id in by_hand}
    write = next((result for result in report.exercises if result.status == "not_started"), None)
    return Sheet(
        says=_says(report),
        lessons=lessons,
        mend=_mend_first(report, set_by_hand),
        write=write,
        write_pays=write is not None and write.id not in set_by_hand,
    )


def _part(slug: str, title: str, results: tuple[ExerciseResult, ...], given: Mapping[str, Decimal]) -> LessonPart:
    earned = sum((given.get(result.id, Decimal(result.earned)) for result in results), Decimal(0))
    return LessonPart(slug, title, results, earned)


def _says(report: Report) -> str:
    number = len(report.exercises)
    passed = sum(result.fine for result in report.exercises)
    statuses = Counter(result.status for result in report.exercises)
    if not number:
        return "Nothing was asked."
    if passed == number:
        return "Everything passes."
    if report.untouched:
        return "Nothing is written yet."
    begun = f"{passed} of {number} exercises {'passes' if passed == 1 else 'pass'}"
    others = [
        f"{statuses['partial']} {'is' if statuses['partial'] == 1 else 'are'} partly right",
        f"{statuses['not_started']} {'is' if statuses['not_started'] == 1 else 'are'} not written yet",
        f"{statuses['grader_fault']} could not be judged, by a fault of the grader's own",
    ]
    numbers = [statuses["partial"], statuses["not_started"], statuses["grader_fault"]]
    rest = number - passed - sum(numbers)
    parts = [text for text, count in zip(others, numbers, strict=True) if count]
    if rest:
        parts.append(f"{rest} {'is' if rest == 1 else 'are'} not right yet")
    return f"{_joined([begun, *parts])}."


def _joined(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _mend_first(report: Report, set_by_hand: Container[str]) -> tuple[Mend, ...]:
    """What others inherit a fault from, most of them first; then in the order of the course, as later ones use it."""
    heirs = Counter(result.inherits for result in report.exercises if result.inherits)
    broken = [
        result
        for result in report.exercises
        if not result.fine
        and result.status not in ("not_started", "grader_fault")
        and result.message not in report.problems
    ]
    broken.sort(key=lambda result: -heirs[result.id])
    return tuple(
        Mend(result, _why(result, heirs[result.id], result.id not in set_by_hand)) for result in broken[:MENDED_FIRST]
    )


def _why(result: ExerciseResult, heirs: int, pays: bool) -> str:
    """pays: whether the points are those of the tests; of points set by hand none are missing."""
    missing = counted(result.possible - result.earned, "point is missing", "points are missing")
    inherit = counted(heirs, "function that is right inherits its fault", "functions that are right inherit its fault")
    return ", and ".join([missing] * pays + [inherit] * bool(heirs))
