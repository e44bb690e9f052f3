"""Where a learner's numbers part from the reference's: block after block, and within a block stage after stage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from torch import Tensor

from grader.course.model import Course
from grader.grading import flawed_function, reference_function
from grader.judge.answer import answer
from grader.judge.comparison import compare
from grader.judge.diagnosis import diagnose
from grader.judge.observation import Observation
from grader.judge.values import tensors
from grader.run.decoder import Decoder
from grader.run.functions import Learner, Replacements, ending
from grader.run.stages import Stage, block, closing, decoding, embedding, inside, other_orders, stream
from grader.run.wiring import Listener, Miswired
from grader.sandbox import Outcome, Raised, Returned
from grader.standin import stand_in

Verdict = Literal["same", "differs", "failed", "not written"]

Function = Callable[..., Any]

COMPOSED = {"block.llama_block", "model.llama"}
"""They put earlier functions together: their parts are looked at before they are blamed."""


@dataclass(frozen=True)
class Finding:
    """A stage and what the learner's function made of it. distance: relative to the largest expected number."""

    stage: Stage
    observation: Observation
    distance: float | None

    @property
    def verdict(self) -> Verdict:
        """In one word or two."""
        outcome = self.observation.outcome
        if isinstance(outcome, Raised) and outcome.is_not_implemented:
            return "not written"
        if not isinstance(outcome, Returned):
            return "failed"
        return "differs" if self.observation.failed else "same"


@dataclass(frozen=True)
class Fault:
    """Where the numbers part: the stage, in words, and its exercise. says: what is known about why."""

    place: str
    exercise: str
    finding: Finding
    says: str
    misconception: str | None = None
    section: str | None = None


@dataclass
class Walk:
    """What was found on the way. whole: embedding, blocks, ending; within: the stages of the block that parts."""

    whole: list[Finding] = field(default_factory=list)
    within: list[Finding] = field(default_factory=list)
    fault: Fault | None = None


def walk(course: Course, learner: Learner, model: Decoder, tokens: Tensor, most: int) -> Walk:
    """Follow `tokens` `(1, T)` through the model until the learner's numbers part from the reference's.

    most: how many tokens the learner's `generate` is asked for at the end.
    """
    return _Walker(course, learner, model, tokens).go(most)


class _Walker:
    def __init__(self, course: Course, learner: Learner, model: Decoder, tokens: Tensor) -> None:
        self._exercises = {exercise.id: exercise for exercise in course.exercises}
        self._learner = learner
        self._model = model
        self._tokens = tokens
        self._states = stream(model, tokens)
        self._found = Walk()

    def go(self, most: int) -> Walk:
        for stage in self._way(most):
            finding = self._look(stage)
            self._found.whole.append(finding)
            if finding.verdict != "same":
                self._found.fault = self._explain(finding)
                break
        return self._found

    def _way(self, most: int) -> Iterator[Stage]:
        model, tokens, states = self._model, self._tokens, self._states
        yield embedding(model, tokens)
        for index in range(model.n_blocks):
            yield block(model, index, states[index])
        yield from closing(model, tokens, states[-1])
        yield from decoding(model, tokens, states, most)

    def _explain(self, finding: Finding) -> Fault:
        stage = finding.stage
        if stage.exercise not in COMPOSED:
            return self._fault(place(stage), [finding])
        parts = self._parts(stage)
        self._found.within = [self._look(part) for part in parts] if stage.block is not None else []
        wrong = [part for part in self._found.within if part.verdict != "same"]
        if wrong and self._cured(finding, {part.stage.exercise for part in wrong}):
            first = wrong[0].stage
            return self._fault(place(first), [part for part in wrong if part.stage.exercise == first.exercise])
        return self._misassembled(finding, parts)

    def _parts(self, stage: Stage) -> list[Stage]:
        """What a whole is put together from."""
        if stage.block is not None:
            return list(inside(self._model, stage.block, self._states[stage.block]))
        return [finding.stage for finding in self._found.whole if finding.stage is not stage]

    def _as_right(self, stage: Stage) -> Iterator[Stage]:
        if stage.block is not None:
            yield from other_orders(self._model, stage.block, self._states[stage.block])

    def _look(self, stage: Stage) -> Finding:
        return self._judged(stage, self._learner.ask(stage.exercise, stage.probe))

    def _judged(self, stage: Stage, outcome: Outcome) -> Finding:
        expected = answer(reference_function(self._exercises[stage.exercise]), stage.probe)
        comparison = compare(outcome, expected, stage.probe)
        observation = Observation(stage.name, stage.probe, expected, outcome, comparison)
        return Finding(stage, observation, _distance(outcome, expected.given))

    def _cured(self, whole: Finding, exercises: Iterable[str]) -> bool:
        """Whether the whole comes out right once these functions are the reference's."""
        lent = self._lend({exercise: stand_in(self._reference(exercise)) for exercise in exercises})
        outcome = self._learner.ask_with(whole.stage.exercise, whole.stage.probe, lent)
        return self._judged(whole.stage, outcome).verdict == "same"

    def _misassembled(self, whole: Finding, parts: Sequence[Stage]) -> Fault:
        """The parts are right by themselves: which of them was given something else?"""
        fault = self._fault(place(whole.stage), [whole])
        if whole.verdict != "differs":
            return fault
        listener = Listener([*parts, *self._as_right(whole.stage)])
        lent = self._lend(
            {exercise: listener.at(exercise, self._reference(exercise)) for exercise in listener.exercises}
        )
        self._learner.ask_with(whole.stage.exercise, whole.stage.probe, lent)
        wrong = listener.first_wrong()
        if wrong is None:
            return fault
        return self._at(fault, wrong)

    def _at(self, fault: Fault, wrong: Miswired) -> Fault:
        says = f"{fault.says} {wrong.sentence}" if fault.misconception else wrong.sentence
        return Fault(place(wrong.stage), fault.exercise, fault.finding, says, fault.misconception, fault.section)

    def _fault(self, where: str, findings: Sequence[Finding]) -> Fault:
        """Findings of one exercise, and the mistake that they show."""
        first = findings[0]
        exercise = self._exercises[first.stage.exercise]
        flawed = flawed_function(exercise)
        named = diagnose(flawed, [finding.observation for finding in findings]) if flawed else None
        anchor = named.misconceptions[0].section if named else exercise.section
        section = f"lessons/{exercise.lesson}/lesson.md#{anchor}"
        said = named.sentence if named else _plainly(first)
        return Fault(where, exercise.id, first, said, named.id if named else None, section)

    def _reference(self, exercise: str) -> Function:
        return reference_function(self._exercises[exercise])

    def _lend(self, functions: Mapping[str, Function]) -> Replacements:
        lent: dict[str, dict[str, Function]] = {}
        for exercise, function in functions.items():
            found = self._exercises[exercise]
            lent.setdefault(found.lesson, {})[found.name] = function
        return lent


def place(stage: Stage) -> str:
    """Block and stage, for a person."""
    return (
        stage.name
        if stage.block is None or stage.name == f"block {stage.block}"
        else f"block {stage.block}, {stage.name}"
    )


def _plainly(finding: Finding) -> str:
    """What is wrong, without knowing why."""
    outcome, difference = finding.observation.outcome, finding.observation.comparison.difference
    if not isinstance(outcome, Returned):
        return f"Your function {ending(outcome)}."
    sentence = difference.sentence if difference else "Its numbers differ."
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


def _distance(outcome: Outcome, expected: Outcome) -> float | None:
    """The largest difference in terms of the largest expected number, None where the two cannot be compared."""
    if not (isinstance(outcome, Returned) and isinstance(expected, Returned)):
        return None
    mine, right = dict(tensors(outcome.value)), dict(tensors(expected.value))
    if mine.keys() != right.keys() or any(mine[key].shape != right[key].shape for key in right):
        return None
    scale = max((float(t.double().abs().max()) for t in right.values() if t.numel()), default=0.0)
    gap = max(
        (float((mine[key].double() - t.double()).abs().max()) for key, t in right.items() if t.numel()), default=0.0
    )
    return gap / scale if scale else gap
