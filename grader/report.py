"""The record of one grading: every other output is rendered from it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from grader.sandbox.level import Level

VERSION = 1

Status = Literal[
    "not_started", "passed", "partial", "failed", "error", "timeout", "crashed", "memory", "forbidden", "inherited",
    "grader_fault",
]  # fmt: skip
FINE: frozenset[str] = frozenset({"passed", "inherited"})
"""Statuses that count as passed, for completion and for the exit code."""

NOTHING_RUN = ("nothing was run",)
"""In place of the layers, when the source text alone decided everything."""


@dataclass(frozen=True)
class TestResult:
    """One test of the suite. message: empty when it passed."""

    __test__ = False
    name: str
    status: str
    earned: int
    possible: int
    message: str
    seconds: float


@dataclass(frozen=True)
class ExerciseResult:
    """One exercise.

    misconception: the id of the mistake that was named; message: what is wrong, in a sentence or two; evidence: the
    smallest input that shows it; inherits: the exercise at fault when the status is `inherited`, None where
    what it rests on was merely not handed in; section: the lesson's heading that explains it, as
    `lessons/<slug>/lesson.md#anchor`; notes: neutral remarks; output: what it printed.
    """

    id: str
    status: Status
    earned: int
    possible: int
    misconception: str | None = None
    message: str = ""
    inherits: str | None = None
    tests: tuple[TestResult, ...] = ()
    evidence: str = ""
    section: str = ""
    notes: tuple[str, ...] = ()
    output: str = ""

    @property
    def lesson(self) -> str:
        return self.id.partition(".")[0]

    @property
    def name(self) -> str:
        return self.id.partition(".")[2]

    @property
    def fine(self) -> bool:
        """Whether it counts as passed."""
        return self.status in FINE


@dataclass(frozen=True)
class WrittenReport:
    """The learner's report on an experiment, which earns no points. claims: how many numbers it claims."""

    path: str
    claims: int
    records: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def fine(self) -> bool:
        """Whether every field is filled and every number stands in a record."""
        return not self.problems


@dataclass(frozen=True)
class Report:
    """One submission graded with one seed.

    layers: the protections that were really on; level: how strong they are together (`strong`, `standard` or `weak`),
    None when nothing was run.
    """

    submission: str
    seed: int
    layers: tuple[str, ...]
    exercises: tuple[ExerciseResult, ...] = field(default=())
    problems: tuple[str, ...] = ()
    """What is wrong with the submission's files, a sentence each."""
    level: Level | None = None
    lab_report: WrittenReport | None = None
    """Where the lab was asked for and there is one."""
    held_out: bool = False
    """Whether the seed is a secret of the instructor's: nothing that a student reads may show it."""
    public: bool = False
    """Whether only the public checks were made, those of a student's bundle."""

    @property
    def protection(self) -> str:
        """The level and the layers in words."""
        layers = ", ".join(self.layers)
        return f"{self.level} ({layers})" if self.level else layers

    @property
    def shown_seed(self) -> str:
        """The seed as a student may read it."""
        return "held out" if self.held_out else str(self.seed)

    @property
    def earned(self) -> int:
        return sum(exercise.earned for exercise in self.exercises)

    @property
    def possible(self) -> int:
        return sum(exercise.possible for exercise in self.exercises)

    @property
    def fault(self) -> bool:
        """Whether anything ended in a fault of the grader's own."""
        return any(exercise.status == "grader_fault" for exercise in self.exercises)

    @property
    def exit_code(self) -> int:
        """0: all asked passed; 1: something did not; 3: a fault of the grader's own."""
        written = self.lab_report is None or self.lab_report.fine
        return 3 if self.fault else 0 if written and all(exercise.fine for exercise in self.exercises) else 1

    @property
    def untouched(self) -> bool:
        """Whether nothing has been written yet."""
        return all(exercise.status == "not_started" for exercise in self.exercises)

    def of_lesson(self, slug: str) -> tuple[ExerciseResult, ...]:
        """The results of one lesson, in order."""
        return tuple(exercise for exercise in self.exercises if exercise.lesson == slug)

    def to_dict(self) -> dict[str, Any]:
        """The versioned document, ready for JSON."""
        return {
            "version": VERSION,
            "submission": self.submission,
            "seed": self.seed,
            "held_out": self.held_out,
            "public": self.public,
            "level": self.level,
            "layers": list(self.layers),
            "earned": self.earned,
            "possible": self.possible,
            "problems": list(self.problems),
            "lab_report": asdict(self.lab_report) if self.lab_report else None,
            "exercises": [asdict(exercise) for exercise in self.exercises],
        }

    def to_json(self) -> str:
        """The document as text: stable key order, non-ASCII kept."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, default=list) + "\n"

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Report:
        """Read a document back. Raises ValueError for another version or a missing key."""
        if document.get("version") != VERSION:
            raise ValueError(f"this is no report of version {VERSION}: version {document.get('version')!r}")
        try:
            exercises = tuple(
                replace(
                    ExerciseResult(**{**exercise, "tests": (), "notes": tuple(exercise["notes"])}),
                    tests=tuple(TestResult(**test) for test in exercise["tests"]),
                )
                for exercise in document["exercises"]
            )
            return cls(
                document["submission"],
                document["seed"],
                tuple(document["layers"]),
                exercises,
                tuple(document["problems"]),
                document.get("level"),
                _written(document.get("lab_report")),
                document.get("held_out", False),
                document.get("public", False),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"the report lacks or mistakes a field: {error}") from error


def _written(document: dict[str, Any] | None) -> WrittenReport | None:
    if document is None:
        return None
    return WrittenReport(document["path"], document["claims"], tuple(document["records"]), tuple(document["problems"]))


def share(points: int, weights: list[int]) -> list[int]:
    """Whole points for each weight, adding up to `points`.

    Each gets one point while there are enough, the rest goes by weight (largest remainder; ties to the earlier).
    """
    floor = 1 if points >= len(weights) else 0
    rest, total = points - floor * len(weights), sum(weights)
    if not total:
        return [0] * len(weights)
    shares = [floor + rest * weight // total for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: -(rest * weights[i] % total))
    for i in by_remainder[: points - sum(shares)]:
        shares[i] += 1
    return shares
