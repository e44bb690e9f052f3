"""What somebody asks of a run, and what follows from the run before: what is not said stays as it was."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.batch.order import ORDER, Order, without_password
from grader.course.model import Course
from grader.errors import UserError


@dataclass(frozen=True, slots=True)
class Asked:
    """The options of a command; None or nothing where one was not given."""

    submissions: Path
    lessons: tuple[str, ...] = ()
    assignment: Path | None = None
    seed: int | None = None
    seed_file: Path | None = None
    hide_expected: bool | None = None
    prefix: str | None = None
    db: str | None = None


def order_for(asked: Asked, course: Course, out: Path, *, change: bool = False) -> Order:
    """The order for a run into `out`. Raises UserError where options contradict each other, or the run before.

    A class that was graded with a held-out seed, a due time or a database is not graded otherwise because somebody
    forgot an option. change: what is given takes the place of what was.
    """
    if asked.assignment is not None and asked.lessons:
        raise UserError(f"The lessons stand in {asked.assignment} already. Leave out --lesson, or the file.")
    if asked.seed is not None and asked.seed_file is not None:
        raise UserError("Both --seed and --seed-file were given. Keep one of them.")
    said = _said(asked, course)
    if not (out / ORDER).exists():
        every = tuple(lesson.slug for lesson in course.lessons)
        return Order(**{"lessons": every, **said})
    before = Order.load(out)
    other = [option for option, name in _OPTIONS.items() if name in said and said[name] != _kept(before, name)]
    if other and not change:
        raise UserError(
            f"{out} holds a class that was graded otherwise: {', '.join(other)}. Leave that out to go on as before, "
            "choose another --out DIR, or say --change to grade by the new options."
        )
    kept = {name: getattr(before, name) for name in _NAMES if name not in said}
    if "seed" in said:
        kept["seed_file"] = ""
    if "lessons" in said:
        kept |= {"assignment": "", "assignment_id": "", "stored": ""}
    if "assignment" in said and said["assignment"] != before.assignment:
        kept |= {"assignment_id": "", "stored": ""}
    return Order(**{**kept, **said})


_OPTIONS = {
    "--lesson": "lessons",
    "--assignment": "assignment",
    "--seed": "seed",
    "--seed-file": "seed_file",
    "--hide-expected": "hide_expected",
    "--prefix": "prefix",
    "--db": "db",
}
_NAMES = (*_OPTIONS.values(), "submissions", "assignment_id", "stored")


def _kept(before: Order, name: str) -> Any:
    if name == "seed" and before.seed_file:
        return None  # a seed in the open in place of one that is held out
    if name == "lessons" and before.assignment:
        return None
    return getattr(before, name)


def _said(asked: Asked, course: Course) -> dict[str, Any]:
    said: dict[str, Any] = {"submissions": str(asked.submissions.absolute())}
    if asked.lessons:
        wanted = {course.lesson(slug).slug for slug in asked.lessons}
        said["lessons"] = tuple(lesson.slug for lesson in course.lessons if lesson.slug in wanted)
    for name in ("assignment", "seed_file"):
        if (path := getattr(asked, name)) is not None:
            said[name] = str(path.absolute())
    for name in ("seed", "hide_expected", "prefix"):
        if (value := getattr(asked, name)) is not None:
            said[name] = value
    if asked.db is not None:
        said["db"] = without_password(asked.db)
    return said
