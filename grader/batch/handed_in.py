"""What a platform's export holds, as data: who handed in what. Nothing of it has been read as Python yet."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

UNREADABLE = "grader could not read the submission"


@dataclass(frozen=True, slots=True)
class Student:
    """id: what the platform calls this student, the key of everything; name and email as the platform writes them."""

    id: str
    name: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True)
class Contents:
    """What was found in one submission.

    modules: the bytes of each lesson's module, by slug, each cut off after MAX_BYTES + 1; logs: files of the learner's
    own records that came along; problem: a sentence, if it could not be read; ignored: what was left out, and why;
    out_of_reach: that is this machine's doing (no permission, a share that is gone, a damaged download), and no
    student's.
    """

    modules: Mapping[str, bytes]
    logs: tuple[bytes, ...] = ()
    problem: str = ""
    ignored: tuple[str, ...] = ()
    out_of_reach: bool = False

    @property
    def digest(self) -> str:
        """A hash of what is graded: the modules, and whether they could be read."""
        parts = [self.problem.encode("utf-8", "surrogatepass")]
        parts += [part for slug in sorted(self.modules) for part in (slug.encode("ascii"), self.modules[slug])]
        total = hashlib.sha256()
        for part in parts:
            total.update(len(part).to_bytes(8, "big") + part)
        return total.hexdigest()


@dataclass(frozen=True, slots=True)
class HandedIn:
    """One submission, by one student or by several (a group).

    origin: where it lies, as a person finds it; submitted: when, if the platform says so, with its offset; late: the
    platform's own mark; read: opens it now, and raises nothing that concerns this submission alone.
    """

    students: tuple[Student, ...]
    origin: str
    read: Callable[[], Contents]
    submitted: datetime | None = None
    late: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """Something among the submissions that nobody's grade comes from, and why.

    ordinary: it is an earlier attempt of somebody whose later one counts, and nothing to look into.
    """

    what: str
    why: str
    ordinary: bool = False

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class Collection:
    """What was recognised. layout: its name (`folders`, `canvas`, ...); says: one line on what was recognised."""

    layout: str
    says: str
    submissions: tuple[HandedIn, ...]
    refused: tuple[Refused, ...] = ()
