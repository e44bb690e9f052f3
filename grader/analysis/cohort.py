"""A class's submissions added up one by one: what is kept of each is a number, and of a few the file's name."""

from __future__ import annotations

from array import array
from bisect import insort
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeVar

from grader.analysis.discrimination import Discrimination, ItemRest
from grader.analysis.distribution import Distribution, distribution
from grader.batch.handed_in import UNREADABLE, Student
from grader.report import ExerciseResult, Report
from grader.review.born.named import parts

MOST_NAMED = 12
"""Files that are named with a misconception; of more, the number says enough."""
MOST_SLOW = 10
MOST_CUT_SHORT = 100
_LONGEST_PROBLEM = 400
_Kept = TypeVar("_Kept", str, tuple[float, str], tuple[str, tuple[tuple[str, str], ...]])
_CUT_SHORT = ("crashed", "timeout", "memory")
_REFUSED = f"The {UNREADABLE}: "
BESIDE = " Something else is wrong as well."
EITHER = "Your answers fit more than one cause."
"""What grader/judge/diagnosis.py puts around a mistake's own sentence. That module imports torch."""


@dataclass(frozen=True, slots=True)
class Named:
    """How often a misconception was named in one exercise. files: the first MOST_NAMED in alphabetical order; says:
    the sentence that its students read, of those the one that speaks of nothing else."""

    exercise: str
    misconception: str
    count: int
    files: tuple[str, ...]
    says: str


@dataclass(frozen=True, slots=True)
class ExerciseSummary:
    """One exercise.

    asked: submissions in which it was judged, `tried` those of them that had written something, `passed` those that
    pass; mean_share: of its points, over all asked (nothing written is 0), None if there are none; discrimination: over
    those who tried; outcomes: how many ended in which status, grader faults too, which count nowhere else.
    """

    id: str
    possible: int
    asked: int
    tried: int
    passed: int
    mean_share: float | None
    discrimination: Discrimination
    outcomes: Mapping[str, int]

    @property
    def success(self) -> float | None:
        """The share that passes of those who tried, None if nobody did."""
        return self.passed / self.tried if self.tried else None


@dataclass(frozen=True, slots=True)
class Slow:
    """seconds: of all its tests together, on the machine that graded it."""

    file: str
    seconds: float


@dataclass(frozen=True, slots=True)
class CutShort:
    """A submission of which exercises crashed, ran out of time or ran out of memory: id and status of each."""

    file: str
    exercises: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that went wrong with one submission as a whole."""

    file: str
    says: str


@dataclass(frozen=True, slots=True)
class CohortSummary:
    """distribution: of the points that count, None without students; slow: the slowest first; cut_short: how many there
    are, of which `cut_short_named` are the first MOST_CUT_SHORT by name; unreadable: those whose files could not be
    read, which have their points and no part in any exercise's figures; names: what to call those that are named
    anywhere in here, by file: `Ada Lovelace (4703)`, where the name is known."""

    students: int
    distribution: Distribution | None
    exercises: tuple[ExerciseSummary, ...]
    misconceptions: tuple[Named, ...]
    slow: tuple[Slow, ...]
    cut_short: int
    cut_short_named: tuple[CutShort, ...]
    faults: tuple[Problem, ...]
    unreadable: tuple[Problem, ...]
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Tally:
    """One exercise while it is added up."""

    possible: int = 0
    earned: int = 0
    offered: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    passed: int = 0
    rest: ItemRest = field(default_factory=ItemRest)


@dataclass(slots=True)
class _Mistake:
    count: int = 0
    files: list[str] = field(default_factory=list)
    says: str = ""


class Cohort:
    """Add the submissions of a class in any order; the summary does not depend on it.

    Exercises stand in the order of the first report, and others behind them as they are met.
    """

    def __init__(self) -> None:
        self._points = array("d")
        self._possible = 0
        self._exercises: dict[str, _Tally] = {}
        self._mistakes: dict[tuple[str, str], _Mistake] = {}
        self._slow: list[tuple[float, str]] = []
        self._cut_short = 0
        self._cut_short_named: list[tuple[str, tuple[tuple[str, str], ...]]] = []
        self._faults: list[tuple[str, str]] = []
        self._unreadable: list[tuple[str, str]] = []
        self._names: dict[str, str] = {}

    def add(self, file: str, report: Report, final: Decimal, student: Student | None = None) -> None:
        """One student's report and the points that count. file: the name of the report, without ending; student: who
        that is, where the name may be shown.

        Raises ValueError for points that are no finite number.
        """
        if not final.is_finite():
            raise ValueError(f"{file}: the points that count are {final}")
        self._points.append(float(final))
        self._possible = max(self._possible, report.possible)
        named = self._add(file, report)
        if named and student is not None and student.name and student.name != student.id:
            self._names[file] = f"{_short(student.name)} ({_short(student.id)})"

    def _add(self, file: str, report: Report) -> bool:
        """Whether the file will be named, as far as that is known by now."""
        refused = next((each for each in report.problems if each.startswith(_REFUSED)), None)
        if refused is not None:
            self._unreadable.append((file, _short(refused.removeprefix(_REFUSED))))
            return True
        self._add_exercises(report)
        named = False
        for result in report.exercises:
            if result.misconception is not None and result.status != "grader_fault":
                named |= self._add_mistakes(file, result)
        return self._add_troubles(file, report) or named

    def _add_exercises(self, report: Report) -> None:
        judged = [result for result in report.exercises if result.status != "grader_fault"]
        earned, possible = sum(result.earned for result in judged), sum(result.possible for result in judged)
        for result in report.exercises:
            tally = self._exercises.setdefault(result.id, _Tally())
            tally.possible = max(tally.possible, result.possible)
            tally.outcomes[result.status] += 1
            if result.status == "grader_fault":
                continue
            tally.earned += result.earned
            tally.offered += result.possible
            tally.passed += result.fine
            # Where a fault took part of a submission away, its rest is not that of the others.
            if result.status != "not_started" and not report.fault and possible > result.possible:
                tally.rest.add(result.fine, (earned - result.earned) / (possible - result.possible))

    def _add_mistakes(self, file: str, result: ExerciseResult) -> bool:
        named, kept = parts(result.misconception or ""), False
        for misconception in dict.fromkeys(named):
            mistake = self._mistakes.setdefault((result.id, misconception), _Mistake())
            mistake.count += 1
            kept |= _keep_first(mistake.files, file, MOST_NAMED)
            says = _short(result.message.partition("\n")[0].removesuffix(BESIDE).strip())
            if len(named) == 1 and says:  # alone it is the mistake's own sentence; with others, what one student read
                mistake.says = min(says, mistake.says or says, key=lambda text: (text.startswith(EITHER), text))
        return kept

    def _add_troubles(self, file: str, report: Report) -> bool:
        named = False
        seconds = sum(test.seconds for result in report.exercises for test in result.tests)
        if seconds > 0:
            named |= _keep_first(self._slow, (-seconds, file), MOST_SLOW)
        cut_short = tuple((result.id, result.status) for result in report.exercises if result.status in _CUT_SHORT)
        if cut_short:
            self._cut_short += 1
            named |= _keep_first(self._cut_short_named, (file, cut_short), MOST_CUT_SHORT)
        fault = next((result for result in report.exercises if result.status == "grader_fault"), None)
        if fault is not None:
            self._faults.append((file, _short(fault.message)))
            named = True
        return named

    def summary(self) -> CohortSummary:
        """What the submissions added until now come to."""
        files = {file for mistake in self._mistakes.values() for file in mistake.files}
        files.update(file for _, file in self._slow)
        files.update(file for file, _ in [*self._cut_short_named, *self._faults, *self._unreadable])
        return CohortSummary(
            students=len(self._points),
            distribution=distribution(self._points, self._possible) if self._points else None,
            exercises=tuple(_exercise(id_, tally) for id_, tally in self._exercises.items()),
            misconceptions=tuple(
                Named(exercise, misconception, mistake.count, tuple(mistake.files), mistake.says)
                for (exercise, misconception), mistake in sorted(
                    self._mistakes.items(), key=lambda pair: (-pair[1].count, pair[0])
                )
            ),
            slow=tuple(Slow(file, -seconds) for seconds, file in self._slow),
            cut_short=self._cut_short,
            cut_short_named=tuple(CutShort(*each) for each in self._cut_short_named),
            faults=tuple(Problem(*each) for each in sorted(self._faults)),
            unreadable=tuple(Problem(*each) for each in sorted(self._unreadable)),
            names={file: self._names[file] for file in sorted(files & self._names.keys())},
        )


def _exercise(id_: str, tally: _Tally) -> ExerciseSummary:
    asked = tally.outcomes.total() - tally.outcomes["grader_fault"]
    return ExerciseSummary(
        id=id_,
        possible=tally.possible,
        asked=asked,
        tried=asked - tally.outcomes["not_started"],
        passed=tally.passed,
        mean_share=tally.earned / tally.offered if tally.offered else None,
        discrimination=tally.rest.result(),
        outcomes={status: count for status, count in sorted(tally.outcomes.items()) if count},
    )


def _keep_first(kept: list[_Kept], new: _Kept, most: int) -> bool:
    """Whether the new one is kept for now."""
    insort(kept, new)
    dropped = kept[most:]
    del kept[most:]
    return new not in dropped


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_PROBLEM else f"{text[:_LONGEST_PROBLEM]}..."
