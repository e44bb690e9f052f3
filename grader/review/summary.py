"""What a session came to, and what comes next and when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from grader.course.model import Exercise
from grader.review.ladder import PASS, RUNGS, Place, passes
from grader.review.listing import rung_name, spoken
from grader.review.session import Sitting

ExerciseOf = Callable[[str], Exercise]
"""The exercise that an item is about."""


@dataclass(frozen=True, slots=True)
class Line:
    """One of several things that are named. exercise: whose section of the lesson is to be read; command: what comes
    after that."""

    says: str
    exercise: Exercise | None = None
    command: str = ""

    def __str__(self) -> str:
        page = f": {_page(self.exercise)}" if self.exercise else ""
        return f"{self.says}{page}" + (f", then `{self.command}`" if self.command else "")


@dataclass(frozen=True, slots=True)
class Listed:
    """Things that are named under a sentence. after: what is said below them."""

    says: str
    lines: tuple[Line, ...]
    after: str = ""

    def __str__(self) -> str:
        return "\n".join([self.says, *(f"  {line}" for line in self.lines), *([self.after] if self.after else [])])


@dataclass(frozen=True, slots=True)
class Coming:
    """What comes next: a sentence, and what leads there, as a deed and as a command."""

    says: str
    deed: Literal["grade", "practise", "review"] | None = None
    command: str = ""

    def __str__(self) -> str:
        return f"{self.says}: `{self.command}`" if self.command else self.says


@dataclass(frozen=True)
class Summary:
    """A session that has ended.

    heading: what it was; took_rung: whether it counts on the ladder; after: where the lesson stands now, None if it was
    never completed; flagged: items that were missed in three reviews.
    """

    sitting: Sitting
    heading: str
    practice: bool
    took_rung: bool
    after: Place | None
    flagged: Sequence[str]
    exercise_of: ExerciseOf
    today: date

    def __str__(self) -> str:
        parts = [self.title, self.score, *self.lists, self.next, self.offer]
        return "\n\n".join(str(part) for part in parts if part is not None)

    @property
    def title(self) -> str:
        return f"{self.heading}: done."

    @property
    def score(self) -> str:
        """How many were right, the score, and what that means."""
        right = sum(not each.missed for each in self.sitting.first_tries)
        score = f"Right at the first try: {right} of {self.sitting.size}, score {self.sitting.score:.2f}"
        if self.practice:
            return f"{score}. This was practice and takes no rung."
        if not self.took_rung:
            return f"{score}. It takes no rung: the study day ended in the middle, or another machine was first."
        return f"{score}: {'passed' if passes(self.sitting.score) else 'not passed'} ({PASS:.2f} is needed)."

    @property
    def lists(self) -> list[Listed]:
        """What was missed, and of that what has been missed often; as many of the two as there are."""
        lists = []
        if missed := self._missed:
            comes = "These come back in the next rung, with new numbers where they have any:"
            lines = tuple(Line(spelled(item, self._lesson)) for item in missed)
            lists.append(Listed("Worth another look:" if self.practice else comes, lines))
        if flagged := [item for item in missed if item in self.flagged]:
            lines = tuple(Line(spelled(item, self._lesson), self.exercise_of(item)) for item in flagged)
            lists.append(Listed("Missed in three reviews or more; read there once again:", lines))
        return lists

    @property
    def next(self) -> Coming:
        """What comes next and when."""
        lesson, after = self._lesson, self.after
        if after is None:
            says = "Its reviews begin the day after the lesson is completed"
            return Coming(says, "grade", f"anatomy grade {lesson}")
        if after.status == "graduated":
            says = f"{lesson} has graduated: no more reviews. Practise when you like"
            return Coming(says, "practise", f"anatomy quiz {lesson}")
        if after.status == "paused":
            return Coming(f"{lesson} is paused; `anatomy pause {lesson} --end` ends that.")
        if after.is_due:
            return Coming(f"{rung_name(after).capitalize()} is due", "review", f"anatomy review {lesson}")
        return Coming(f"Next: {rung_name(after)}, {spoken(after.due, self.today)}.")

    @property
    def offer(self) -> Listed | None:
        """What may help when two reviews running did not pass; None otherwise."""
        if self.practice or self.after is None or not self.after.offer_restart:
            return None
        exercises = dict.fromkeys(self.exercise_of(item) for item in self._missed)
        return Listed(
            "Two reviews running did not pass. Writing these functions once more may help:",
            tuple(Line(exercise.id, exercise, f"anatomy reset {exercise.id}") for exercise in exercises),
            f"`anatomy restart {self._lesson}` would begin the {len(RUNGS)} rungs anew from today. Nothing is "
            "restarted unless you ask for it.",
        )

    @property
    def _lesson(self) -> str:
        return self.sitting.lesson

    @property
    def _missed(self) -> list[str]:
        return [each.item for each in self.sitting.first_tries if each.missed]


def spelled(item: str, lesson: str) -> str:
    """An item's id as words: `shape of the mask`, `rms_norm: eps outside root`, `a fault in rms_norm`."""
    kind, slash, of = item.partition("/")
    if slash:
        *_, exercise, name = of.split(".")
        return f"a fault in {name}" if kind == "fault" else f"{exercise}: {name.replace('-', ' ')}"
    return item.removeprefix(f"{lesson}-").replace("-", " ")


def _page(exercise: Exercise) -> str:
    return f"lessons/{exercise.lesson}/lesson.md, section #{exercise.section}"
