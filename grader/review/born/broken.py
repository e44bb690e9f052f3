"""Which law does a mistake break? The options are what tests say of themselves; each is tried out."""

from __future__ import annotations

import random
from collections.abc import Sequence

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


class Trials:
    """An exercise with two seeds: a law counts as kept or as broken only if it is so with both."""

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
        """Whether a function with this mistake keeps the law, None where that depends on the inputs."""
        alike = [other for other in self.bench.laws if other.says == law.says]
        verdicts = {all(bench.keeps(mistake, each) for each in alike) for bench in self.benches}
        return verdicts.pop() if len(verdicts) == 1 else None


def law_choice(trials: Trials, mistake: Misconception, chance: random.Random) -> tuple[str, tuple[Option, ...]] | None:
    """The question and its options: the law that breaks among some that hold, or, for a mistake that breaks nearly
    everything, the one that still holds. None for a mistake that leaves no choice."""
    laws = list(trials.laws)
    chance.shuffle(laws)
    laws.sort(key=lambda law: (law.name != mistake.fails, KINDS.index(law.kind)))
    broken: list[Law] = []
    kept: list[Law] = []
    for law in laws:
        verdict = trials.kept(mistake, law)
        if verdict is not None:
            (kept if verdict else broken).append(law)
        if broken and len(kept) >= MOST_WRONG:
            break
    if broken and len(kept) >= FEWEST_WRONG:
        return "Which of these laws does it *break*?", _options(broken[0], kept, "That one still holds.")
    if kept and len(broken) >= FEWEST_WRONG:
        says = "It breaks nearly everything. Which of these *still holds*?"
        return says, _options(kept[0], broken, "That one breaks.")
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
    lines = [f"- {'holds' if kept else '*breaks*'}: {law.says}" for law, kept in sorted(told, key=lambda pair: pair[1])]
    return "\n".join(lines), tuple(wrong)
