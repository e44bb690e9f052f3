"""What a run changed: whose points were what before, what they are now, and why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grader.batch.entry import Entry
from grader.batch.handed_in import Student
from grader.batch.journal import Journal
from grader.batch.run import Moved
from grader.gradebook.why import Grading, HandIn, why


@dataclass(frozen=True, slots=True)
class Different:
    """One exercise whose points or status changed."""

    id: str
    earned_before: int
    earned: int
    status_before: str
    status: str


@dataclass(frozen=True, slots=True)
class Change:
    """One student's report that another one has replaced. exercises: those that came out differently."""

    student: Student
    before: int
    after: int
    possible: int
    why: str
    exercises: tuple[Different, ...]


def changes(journal: Journal, moved: Iterable[Moved]) -> Iterator[Change]:
    """The changes of these students, in the order in which they happened."""
    pairs = list(moved)
    wanted = {(each.file, report) for each in pairs for report in (each.before, each.after)}
    numbered = enumerate(journal.entries())
    found = {(e.file, e.report): (number, e) for number, e in numbered if (e.file, e.report) in wanted}
    for each in pairs:
        before, after = found.get((each.file, each.before)), found.get((each.file, each.after))
        if before is not None and after is not None:
            yield _change(before, after)


def _change(numbered_before: tuple[int, Entry], numbered_after: tuple[int, Entry]) -> Change:
    before, after = numbered_before[1], numbered_after[1]
    reason = why(_grading(*numbered_before), _grading(*numbered_after))
    was = {exercise.id: exercise for exercise in before.exercises}
    different = tuple(
        Different(now.id, was[now.id].earned, now.earned, was[now.id].status, now.status)
        for now in after.exercises
        if now.id in was and (was[now.id].earned, was[now.id].status) != (now.earned, now.status)
    )
    return Change(after.student, before.earned, after.earned, after.possible, reason, different)


def _grading(number: int, entry: Entry) -> tuple[Grading, HandIn]:
    return Grading.of(entry, number), HandIn.of(entry)


def to_json(change: Change) -> dict[str, object]:
    """A change as `--format json` prints it."""
    return json.loads(json.dumps(change, default=lambda each: {n: getattr(each, n) for n in each.__slots__}))  # type: ignore[no-any-return]
