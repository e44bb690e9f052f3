"""The page on a whole class: how the points lie, which exercises and mistakes stand out, what needs a look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from grader.analysis.cohort import CohortSummary, ExerciseSummary
from grader.analysis.discrimination import FEWEST
from grader.analysis.quizzes import ItemSummary, QuizSummary
from grader.batch.handed_in import Refused
from grader.render.page import page, points
from grader.render.text import WORDS

MOST_MISCONCEPTIONS = 40
"""Of the most frequent ones; the rest are in the reports."""
_NAMED_OUTCOMES = ("not_started", "error", "timeout", "memory", "crashed", "forbidden", "grader_fault")


@dataclass(frozen=True, slots=True)
class _Row:
    """A bin in words, and its part of the fullest one."""

    says: str
    count: int
    share: float


def overview(summary: CohortSummary, quizzes: QuizSummary | None, title: str, refused: Sequence[Refused] = ()) -> str:
    """One self-contained page that lies beside the folder `feedback`, into which its links lead.

    quizzes: None if no logs came. File names and refused names are escaped, and quoted in addresses.
    """
    asked = quizzes.asked if quizzes else ()
    tried = {exercise.id: exercise.tried for exercise in summary.exercises}
    return page(
        "overview.html",
        summary=summary,
        quizzes=quizzes,
        title=title,
        refused=refused,
        rows=_rows(summary),
        lessons=[(slug, list(each)) for slug, each in groupby(summary.exercises, _lesson)],
        discriminated=any(each.discrimination.value is not None for each in summary.exercises),
        misconceptions=[(each, tried.get(each.exercise, 0)) for each in summary.misconceptions[:MOST_MISCONCEPTIONS]],
        quiz_lessons=[(slug, list(each)) for slug, each in groupby(asked, _item_lesson)],
        quiz_discriminated=any(each.discrimination.value is not None for each in asked),
        ends=_ends,
        fewest=FEWEST,
    )


def _lesson(exercise: ExerciseSummary) -> str:
    return exercise.id.partition(".")[0]


def _item_lesson(item: ItemSummary) -> str:
    return item.lesson


def _rows(summary: CohortSummary) -> list[_Row]:
    if summary.distribution is None:
        return []
    bins = summary.distribution.bins
    most = max(each.count for each in bins)
    return [
        _Row(
            f"{points(each.low)} to {'' if each is bins[-1] else 'under '}{points(each.high)}",
            each.count,
            each.count / most,
        )
        for each in bins
    ]


def _ends(exercise: ExerciseSummary) -> str:
    """How submissions ended that neither passed nor were merely wrong: `3 not started, 1 crashed`."""
    counts = [(exercise.outcomes.get(status, 0), WORDS[status]) for status in _NAMED_OUTCOMES]
    return ", ".join(f"{count} {word}" for count, word in counts if count)
