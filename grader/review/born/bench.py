"""One exercise on the bench: what its suite asks, what is right, and what each catalogued mistake makes of it.

Only trusted functions run here, the reference and the catalogue; a learner's own code runs in the sandbox (own.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cached_property
from typing import Literal

from _pytest.outcomes import OutcomeException

from grader.course.model import Exercise
from grader.grading import flawed_function, reference_function
from grader.judge.agreement import agree, alternative
from grader.judge.answer import Answer
from grader.judge.check import Check, Examination, Failed
from grader.judge.comparison import Kind, compare
from grader.judge.draw import Draw, seed_for
from grader.judge.misconception import Flawed, Misconception
from grader.judge.observation import Observation
from grader.judge.probe import Probe, run_here
from grader.review.born.laws import Law, laws_of
from grader.sandbox.reply import Outcome

Asked = Callable[[Probe, Answer], Outcome]
Ending = Kind | Literal["passed", "broken"]
"""How a test ends: passed; broken, when what it states does not hold; or how the first wrong answer differs."""


class NoCatalogue(LookupError):
    """An exercise without catalogued mistakes."""


class Bench:
    """An exercise with one seed. Inputs depend on the exercise, the test and the seed alone.

    The reference's answers are worked out once, and so are those of each mistake.
    """

    def __init__(self, exercise: Exercise, seed: str) -> None:
        flawed = flawed_function(exercise)
        if flawed is None:
            raise NoCatalogue(f"{exercise.id} has no catalogued mistakes")
        self.exercise = exercise
        self.reference = reference_function(exercise)
        self.flawed: Flawed = flawed
        self.laws = laws_of(exercise.lesson, exercise.name)
        self._seed = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:6], "little")
        self._answers: dict[str, list[tuple[Probe, Answer]]] = {}
        self._questions: dict[str, tuple[Observation, ...]] = {}
        self._kept: dict[tuple[str, str], Ending] = {}

    def questions(self, law: Law) -> tuple[Observation, ...]:
        """What a test asks, each question with the reference's answer."""
        if law.name not in self._questions:
            ending, asked = self._sit(law, lambda probe, answer: run_here(self.reference, probe, answer.cotangent))
            assert ending == "passed", f"the reference does not pass {self.exercise.id} {law.name}"
            self._questions[law.name] = asked
        return self._questions[law.name]

    @cached_property
    def everything(self) -> tuple[Observation, ...]:
        """What the whole suite asks."""
        return tuple(question for law in self.laws for question in self.questions(law))

    def ending(self, mistake: Misconception, law: Law) -> Ending:
        """How the test ends for a function with this mistake."""
        key = mistake.name, law.name
        if key not in self._kept:
            names = frozenset({mistake.name})
            self._kept[key], _ = self._sit(law, lambda probe, answer: self._answer(names, probe, answer))
        return self._kept[key]

    def answer(self, mistake: Misconception, question: Observation) -> Outcome:
        """What a function with this mistake answers."""
        return self._answer(frozenset({mistake.name}), question.probe, question.answer)

    def departs(self, mistake: Misconception, question: Observation) -> bool:
        """Whether a function with this mistake answers wrongly."""
        return alternative(self.flawed, frozenset({mistake.name}), question.probe, question.answer).departs

    def differ(self, one: frozenset[str], other: frozenset[str], question: Observation) -> bool:
        """Whether functions with these mistakes and with those can be told apart by this question."""
        seen = seen_as(question, self._answer(one, question.probe, question.answer))
        return agree(seen, alternative(self.flawed, other, question.probe, question.answer)) is None

    def _answer(self, names: frozenset[str], probe: Probe, answer: Answer) -> Outcome:
        return alternative(self.flawed, names, probe, answer).outcome

    def _sit(self, law: Law, ask: Asked) -> tuple[Ending, tuple[Observation, ...]]:
        """How all cases of a test end together, and what was asked until then."""
        examination = Examination(self.reference, ask, self._answers)
        for number, case in enumerate(law.cases):
            test = f"{law.name}[{number}]"
            seed = seed_for(self._seed, f"{self.exercise.id}:{test}")
            try:
                law.run(Check(examination, test, seed % 2**31), Draw(seed), case)
            except Failed as failure:
                difference = failure.observation.comparison.difference if failure.observation else None
                return difference.kind if difference else "broken", tuple(examination.observations)
            except (AssertionError, OutcomeException):
                return "broken", tuple(examination.observations)
            except Exception:  # a result of another type or shape than the test can work with
                if not any(observation.failed for observation in examination.observations):
                    raise
                return "type", tuple(examination.observations)
        return "passed", tuple(examination.observations)


def seen_as(question: Observation, outcome: Outcome) -> Observation:
    """The observation that a question would have been, had it been answered like that."""
    comparison = compare(outcome, question.answer, question.probe)
    return Observation(question.test, question.probe, question.answer, outcome, comparison)
