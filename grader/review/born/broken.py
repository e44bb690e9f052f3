"""Which law does a mistake break? The options are what tests say of themselves; each is tried out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache

from grader.course.model import Exercise
from grader.judge.misconception import Misconception
from grader.review.born.bench import Bench
from grader.review.born.laws import Law
from grader.review.questions.model import Option

MOST_WRONG, FEWEST_WRONG = 3, 2
"""Wrong options beside the right one."""
MOST_TOLD = 3
"""Laws that are told to be kept, and as many to be broken."""
KINDS = ("law", "raises", "dtype", "shape", "value")
"""Laws are asked about in this order: those of the later kinds say less about a mistake."""


OF_ITS_KIND = {"dtype": ("dtype",), "shape": ("shape", "type"), "raises": ("accepted", "wrong-exception")}
"""Differences that say that a law of that kind is broken."""


class Trials:
    """An exercise with two seeds: a law counts as kept or as broken only if it is so with both.

    A test of dtypes that fails because the numbers are wrong anyway does not say that the law on dtypes is broken: such
    a law is neither.
    """

    def __init__(self, exercise: Exercise, seed: str) -> None:
        self.benches = Bench(exercise, seed), Bench(exercise, f"{seed} again")

    @property
    def bench(self) -> Bench:
        """The exercise with the first seed."""
        return self.benches[0]

    @property
    def laws(self) -> tuple[Law, ...]:
        """The tests of the exercise, those of one description once."""
        return tuple({law.says: law for law in reversed(self.bench.laws)}.values())

    def kept(self, mistake: Misconception, law: Law) -> bool | None:
        """Whether a function with this mistake keeps the law, None where that cannot be said."""
        alike = [other for other in self.bench.laws if other.says == law.says]
        verdicts = {self._verdict(bench, mistake, each) for each in alike for bench in self.benches}
        if verdicts == {True}:
            return True
        return False if False in verdicts and None not in verdicts and law.name == alike[0].name else None

    def _verdict(self, bench: Bench, mistake: Misconception, law: Law) -> bool | None:
        ending = bench.ending(mistake, law)
        if ending == "passed":
            return True
        if ending == "broken" or law.kind == "value" or law.name == mistake.fails:
            return False
        # Where the rule itself is kept, a failure elsewhere is of what that test states.
        is_special = bench.ending(mistake, bench.laws[0]) == "passed"
        return False if is_special or ending in OF_ITS_KIND.get(law.kind, ()) else None


@lru_cache(maxsize=4)
def trials_of(exercise: Exercise, seed: str) -> Trials:
    """The exercise with this seed; the same as before where several of its mistakes are asked about."""
    return Trials(exercise, seed)


def law_choice(trials: Trials, mistake: Misconception, chance: random.Random) -> tuple[str, tuple[Option, ...]] | None:
    """The question and its options: the law that breaks among some that hold, or, for a mistake that breaks nearly
    everything, the one that still holds. None for a mistake that leaves no choice."""
    laws = list(trials.laws)
    chance.shuffle(laws)
    told = mistake.fails or trials.bench.laws[0].name  # a wrong formula breaks the rule itself
    laws.sort(key=lambda law: (law.name != told, KINDS.index(law.kind)))
    broken: list[Law] = []
    kept: list[Law] = []
    for law in laws:
        verdict = trials.kept(mistake, law)
        if verdict is not None:
            (kept if verdict else broken).append(law)
        if broken and len(kept) >= MOST_WRONG:
            break
    if broken and len(kept) >= FEWEST_WRONG:
        return "Which of these tests does it *fail*?", _options(broken[0], kept, "It passes that one.")
    if kept and len(broken) >= FEWEST_WRONG:
        says = "It fails nearly all of its tests. Which of these does it *pass*?"
        return says, _options(kept[0], broken, "It fails that one.")
    return None


def _options(right: Law, wrong: Sequence[Law], feedback: str) -> tuple[Option, ...]:
    near = sorted(wrong, key=lambda law: law.kind != right.kind)[:MOST_WRONG]  # a law of the same kind is a near miss
    others = (Option(law.name.removeprefix("test_"), law.says, False, feedback) for law in near)
    return Option(right.name.removeprefix("test_"), right.says, True, "That is it."), *others


def told_by_laws(
    trials: Trials, mistake: Misconception, others: Sequence[Misconception]
) -> tuple[str, tuple[tuple[Misconception, str], ...]] | None:
    """What a mistake breaks and keeps, as a text, and up to three other mistakes that do otherwise, each with what
    speaks against it. None where too few do otherwise."""
    told: list[tuple[Law, bool]] = []
    for law in sorted(trials.laws, key=lambda law: (law.name != mistake.fails, KINDS.index(law.kind))):
        verdict = trials.kept(mistake, law)
        if verdict is not None and sum(kept == verdict for _, kept in told) < MOST_TOLD:
            told.append((law, verdict))
        if len(told) == 2 * MOST_TOLD:
            break
    if all(kept for _, kept in told):
        return None
    wrong: list[tuple[Misconception, str]] = []
    for other in others:
        against = next((law for law, kept in told if trials.kept(other, law) is (not kept)), None)
        if against is not None and other.says not in {mistake.says, *(each.says for each, _ in wrong)}:
            wrong.append((other, f"Then it would be otherwise with this: {against.says}"))
        if len(wrong) == MOST_WRONG:
            break
    if len(wrong) < FEWEST_WRONG:
        return None
    lines = [f"- {'passes' if kept else '*fails*'}: {law.says}" for law, kept in sorted(told, key=lambda pair: pair[1])]
    return "\n".join(lines), tuple(wrong)
