"""One line of the journal: what one submission of one student came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from grader.batch.handed_in import Student
from grader.report import Report

VERSION = 1


@dataclass(frozen=True, slots=True)
class Key:
    """What decides a verdict. Two entries with equal keys hold the same verdict.

    submission: hash of what was handed in; suite: hash of suites, reference, catalogue, engine and libraries; seed:
    the seed's hash, since a held-out seed is written nowhere; asked: hash of the exercises and of the options.
    """

    student: str
    submission: str
    suite: str
    seed: str
    asked: str


@dataclass(frozen=True, slots=True)
class Scored:
    """One exercise's part of an entry."""

    id: str
    status: str
    earned: int
    possible: int
    misconception: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """file: the name, without ending, of the student's report and feedback; report: the hash of the report's bytes;
    parts: the hash of each part of the suite hash, by name, to say what has changed; at: when it was graded."""

    key: Key
    student: Student
    file: str
    origin: str
    at: datetime
    submitted: datetime | None
    late: bool
    report: str
    exercises: tuple[Scored, ...]
    parts: Mapping[str, str]

    @property
    def earned(self) -> int:
        return sum(exercise.earned for exercise in self.exercises)

    @property
    def possible(self) -> int:
        return sum(exercise.possible for exercise in self.exercises)

    @property
    def fault(self) -> bool:
        """Whether a fault of the grader's own kept it from a verdict."""
        return any(exercise.status == "grader_fault" for exercise in self.exercises)

    def to_dict(self) -> dict[str, Any]:
        """The line as JSON holds it."""
        return {
            "version": VERSION,
            **asdict(self),
            "at": self.at.isoformat(),
            "submitted": self.submitted.isoformat() if self.submitted else None,
            "exercises": [asdict(exercise) for exercise in self.exercises],
            "parts": dict(self.parts),
        }

    @classmethod
    def from_dict(cls, record: Any) -> Entry:
        """Read it back. Raises ValueError for another version or a missing field."""
        try:
            if record["version"] != VERSION:
                raise ValueError(f"this is no entry of version {VERSION}: version {record['version']!r}")
            submitted = record["submitted"]
            return cls(
                Key(**record["key"]),
                Student(**record["student"]),
                record["file"],
                record["origin"],
                datetime.fromisoformat(record["at"]),
                datetime.fromisoformat(submitted) if submitted else None,
                record["late"],
                record["report"],
                tuple(Scored(**exercise) for exercise in record["exercises"]),
                record["parts"],
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"the entry lacks or mistakes a field: {error}") from error


def scored(report: Report) -> tuple[Scored, ...]:
    """The short form of a report's exercises."""
    return tuple(
        Scored(each.id, each.status, each.earned, each.possible, each.misconception) for each in report.exercises
    )
