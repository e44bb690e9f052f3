"""What a session came to, and what comes next and when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from grader.course.model import Exercise
from grader.review.ladder import PASS, RUNGS, Place, passes
from grader.review.listing import rung_name, spoken
from grader.review.session import Sitting

ExerciseOf = Callable[[str], Exercise]
"""The exercise that an item is about."""


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
        parts = [f"{self.heading}: done.", self._score(), self._missed(), self._flagged(), self._next(), self._offer()]
        return "\n\n".join(part for part in parts if part)

    @property
    def _lesson(self) -> str:
        return self.sitting.lesson

    def _score(self) -> str:
        right = sum(not each.missed for each in self.sitting.first_tries)
        score = f"Right at the first try: {right} of {self.sitting.size}, score {self.sitting.score:.2f}"
        if self.practice:
            return f"{score}. This was practice and takes no rung."
        if not self.took_rung:
            return f"{score}. It takes no rung: the study day ended in the middle, or another machine was first."
        return f"{score}: {'passed' if passes(self.sitting.score) else 'not passed'} ({PASS:.2f} is needed)."

    def _missed(self) -> str:
        missed = [each.item for each in self.sitting.first_tries if each.missed]
        if not missed:
            return ""
        comes = "These come back in the next rung, with new numbers where they have any:"
        return _listed("Worth another look:" if self.practice else comes, [spelled(i, self._lesson) for i in missed])

    def _flagged(self) -> str:
        flagged = [each.item for each in self.sitting.first_tries if each.missed and each.item in self.flagged]
        if not flagged:
            return ""
        lines = [f"{spelled(item, self._lesson)}: {_page(self.exercise_of(item))}" for item in flagged]
        return _listed("Missed in three reviews or more; read there once again:", lines)

    def _next(self) -> str:
        lesson, after = self._lesson, self.after
        if after is None:
            return f"Its reviews begin the day after the lesson is completed: `anatomy grade {lesson}`"
        if after.status == "graduated":
            return f"{lesson} has graduated: no more reviews. Practise when you like: `anatomy quiz {lesson}`"
        if after.status == "paused":
            return f"{lesson} is paused; `anatomy pause {lesson} --end` ends that."
        if after.is_due:
            return f"{rung_name(after).capitalize()} is due: `anatomy review {lesson}`"
        return f"Next: {rung_name(after)}, {spoken(after.due, self.today)}."

    def _offer(self) -> str:
        if self.practice or self.after is None or not self.after.offer_restart:
            return ""
        missed = [each.item for each in self.sitting.first_tries if each.missed]
        exercises = dict.fromkeys(self.exercise_of(item) for item in missed)
        rewrite = [f"{exercise.id}: {_page(exercise)}, then `anatomy reset {exercise.id}`" for exercise in exercises]
        return _listed("Two reviews running did not pass. Writing these functions once more may help:", rewrite) + (
            f"\n`anatomy restart {self._lesson}` would begin the {len(RUNGS)} rungs anew from today. Nothing is "
            "restarted unless you ask for it."
        )


def spelled(item: str, lesson: str) -> str:
    """An item's id as words: `shape of the mask`, `rms_norm: eps outside root`, `a fault in rms_norm`."""
    kind, slash, of = item.partition("/")
    if slash:
        *_, exercise, name = of.split(".")
        return f"a fault in {name}" if kind == "fault" else f"{exercise}: {name.replace('-', ' ')}"
    return item.removeprefix(f"{lesson}-").replace("-", " ")


def _page(exercise: Exercise) -> str:
    return f"lessons/{exercise.lesson}/lesson.md, section #{exercise.section}"


def _listed(heading: str, lines: Sequence[str]) -> str:
    return "\n".join([heading, *(f"  {line}" for line in lines)])
