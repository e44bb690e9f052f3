"""What a run changed: whose points were what before, what they are now, and why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grader.batch.entry import Entry
from grader.batch.handed_in import Student
from grader.batch.journal import Journal
from grader.batch.run import Moved

LESSON = "lesson "


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
    found = {(e.file, e.report): e for e in journal.entries() if (e.file, e.report) in wanted}
    for each in pairs:
        before, after = found.get((each.file, each.before)), found.get((each.file, each.after))
        if before is not None and after is not None:
            yield _change(before, after)


def _change(before: Entry, after: Entry) -> Change:
    was = {exercise.id: exercise for exercise in before.exercises}
    different = tuple(
        Different(now.id, was[now.id].earned, now.earned, was[now.id].status, now.status)
        for now in after.exercises
        if now.id in was and (was[now.id].earned, was[now.id].status) != (now.earned, now.status)
    )
    return Change(after.student, before.earned, after.earned, after.possible, why(before, after), different)


def why(before: Entry, after: Entry) -> str:
    """What made a second verdict necessary, in words."""
    reasons = []
    if before.key.submission != after.key.submission:
        reasons.append("handed in again")
    if before.key.seed != after.key.seed:
        reasons.append("another seed")
    if before.key.asked != after.key.asked:
        reasons.append("other exercises or options")
    parts = [name for name in {**before.parts, **after.parts} if before.parts.get(name) != after.parts.get(name)]
    for name in parts:
        if name.startswith(LESSON):
            reasons.append(f"lesson {name.removeprefix(LESSON)} changed")
        elif name == "engine":
            reasons.append("the grader changed")
        else:
            was, now = before.parts.get(name, "none"), after.parts.get(name, "none")
            reasons.append(f"{name} {was} became {now}")
    if before.fault:
        reasons.append("a fault of the grader's had kept it from a verdict")
    return ", ".join(reasons) or "graded again"


def to_json(change: Change) -> dict[str, object]:
    """A change as `--format json` prints it."""
    return json.loads(json.dumps(change, default=lambda each: {n: getattr(each, n) for n in each.__slots__}))  # type: ignore[no-any-return]
