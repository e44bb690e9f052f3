"""Why another grading counts than before."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from grader.batch.entry import Entry
from grader.batch.handed_in import Student

FIRST = "first grading"
_NAMED = 3
_LONGEST_VERSION = 24


@dataclass(frozen=True, slots=True)
class Grading:
    """A grading without its report. suite, seed and asked: hashes; parts: the hash of each part of the suite's."""

    number: int
    submission: str
    suite: str
    seed: str
    asked: str
    parts: Mapping[str, str]
    fault: bool

    @classmethod
    def of(cls, entry: Entry, number: int) -> Grading:
        """The entry's; of two the one with the greater number was made later."""
        key = entry.key
        return cls(number, key.submission, key.suite, key.seed, key.asked, entry.parts, entry.fault)


@dataclass(frozen=True, slots=True)
class HandIn:
    """By whom, when and where a submission was handed in: it may change without the files."""

    student: Student
    submitted: datetime | None
    late: bool
    file: str = ""
    origin: str = ""

    @classmethod
    def of(cls, entry: Entry) -> HandIn:
        """The entry's. Raises ValueError for a time without an offset."""
        if entry.submitted is not None and entry.submitted.tzinfo is None:
            raise ValueError(f"the time {entry.submitted} of {entry.origin!r} has no offset")
        return cls(entry.student, entry.submitted, entry.late, entry.file, entry.origin)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        student = {"id": self.student.id, "name": self.student.name, "email": self.student.email}
        submitted = self.submitted.isoformat() if self.submitted else None
        return {"student": student, "submitted": submitted, "late": self.late, "file": self.file, "origin": self.origin}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> HandIn:
        """Read it back."""
        submitted = record["submitted"]
        moment = datetime.fromisoformat(submitted) if submitted else None
        return cls(Student(**record["student"]), moment, record["late"], record["file"], record["origin"])

    @property
    def counts(self) -> tuple[Student, float | None, bool]:
        """What makes two of them different: not where the files lay, which changes with every download."""
        return (self.student, self.submitted.timestamp() if self.submitted else None, self.late)


def why(before: tuple[Grading, HandIn] | None, after: tuple[Grading, HandIn], earlier: Collection[str] = ()) -> str:
    """What is different, in words. earlier: the hashes of the submissions that have counted at some time."""
    if before is None:
        return FIRST
    (old, was), (new, now) = before, after
    reasons = []
    if old.submission != new.submission:
        known = new.submission in earlier or new.number < old.number
        reasons.append("an earlier submission counts again" if known else "handed in again")
    if old.suite != new.suite:
        reasons.append(_changed(old.parts, new.parts))
    if old.seed != new.seed:
        reasons.append("another seed")
    if old.asked != new.asked:
        reasons.append("other exercises or options")
    if old.fault and not new.fault:
        reasons.append("the grader's own fault is mended")
    if (was.counts[1:]) != (now.counts[1:]) and old.submission == new.submission:
        reasons.append("another time of handing in")
    if was.student != now.student:
        reasons.append("another name or address")
    return "; ".join(reasons) or "graded again"


def _changed(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """`lesson normalization changed; torch 2.12 became 2.13`: the parts are named as the fingerprint names them."""
    names = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    if not names:
        return "the suites or the engine changed"
    versions = [name for name in names if _is_version(old.get(name)) and _is_version(new.get(name))]
    hashed = [name for name in names if name not in versions]
    more = f" and {len(hashed) - _NAMED} more" if len(hashed) > _NAMED else ""
    said = [f"{', '.join(hashed[:_NAMED])}{more} changed"] if hashed else []
    return "; ".join([*said, *(f"{name} {old[name]} became {new[name]}" for name in versions)])


def _is_version(part: str | None) -> bool:
    """Whether a part is the version of something, which a person can read, and no hash."""
    return part is not None and len(part) <= _LONGEST_VERSION and "." in part
