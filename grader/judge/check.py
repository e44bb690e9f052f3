"""The `check` that suites call: asks the learner's function, asks the reference, compares, keeps the observation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import torch
from torch import Tensor

from grader.judge.answer import Answer, answer
from grader.judge.comparison import Comparison, Difference, compare
from grader.judge.observation import Observation
from grader.judge.play import Play
from grader.judge.probe import Probe, gradient_paths, path_name
from grader.judge.values import size
from grader.sandbox.inside.effects import RANDOM_STATE, REQUIRES_GRAD
from grader.sandbox.reply import Died, NotAValue, Outcome, Path, Raised, Returned

KEPT_NUMBERS = 2**16
"""A result may always hold so many numbers. Observations are kept, so that a vast result of each call would add up."""

Trouble = Literal["failed", "error", "timeout", "crashed", "memory", "not_started"]


class Failed(Exception):
    """A test that the learner's function did not pass, and why."""

    def __init__(self, status: Trouble, sentence: str, observation: Observation | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.observation = observation


@dataclass
class Examination:
    """One exercise of one submission while its suite runs.

    ask: puts a probe to the function under test; with it goes the expected answer, None if that is not there yet;
    answers: the reference's answers of earlier runs, by test, reused when a test asks the same again; helper: works the
    reference's answer out while the function under test, in another process, works on its own.
    """

    reference: Callable[..., Any]
    ask: Callable[[Probe, Any], Outcome]
    answers: dict[str, list[tuple[Probe, Answer]]] = field(default_factory=dict)
    helper: Executor | None = None
    names: tuple[str, ...] = field(init=False)
    observations: list[Observation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names = tuple(inspect.signature(self.reference).parameters)

    def posed(self, test: str, position: int, probe: Probe) -> Probe:  # noqa: ARG002  recorded questions need both
        """The question that is put for what the test's call number `position` asks."""
        return probe

    def answer(self, test: str, position: int, probe: Probe) -> Answer:
        """The reference's answer to the test's call number `position`."""
        return self.known(test, position, probe) or self._work_out(test, position, probe)

    def known(self, test: str, position: int, probe: Probe) -> Answer | None:
        """The same, if an earlier run asked the same."""
        known = self.answers.setdefault(test, [])
        same = position < len(known) and known[position][0].same_inputs(probe)
        return known[position][1] if same else None

    def answering(self, test: str, position: int, probe: Probe) -> Future[Answer] | None:
        """The same while others work, where there is a helper and something to work out.

        Gradients are never asked for ahead: for them the expected result's shape goes along with the question.
        """
        if self.helper is None or probe.wrt or self.known(test, position, probe):
            return None
        return self.helper.submit(self._work_out, test, position, probe)

    def _work_out(self, test: str, position: int, probe: Probe) -> Answer:
        fresh = answer(self.reference, probe)
        self.answers[test][position:] = [(probe, fresh)]
        return fresh


class Check:
    """Bound to one test of one exercise. Required parameters are passed by position, optional ones by keyword."""

    def __init__(self, examination: Examination, test: str, seed: int, manner: Probe | None = None) -> None:
        self._examination = examination
        self._test = test
        self._seed = seed
        self._manner = manner or Probe(())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The value must be the reference's, by the tolerance rule. Returns the learner's value."""
        return self._value(self._probe(args, kwargs))

    def within(self, kappa: float = 1.0, scale: float = 0.0, rtol: float | None = None) -> Check:
        """The same check with a condition factor, a floor for the scale, or a plain relative pass line."""
        closeness = replace(self._manner.closeness, kappa=kappa, scale=scale or 0.0, rtol=rtol)
        return self._in_this_manner(replace(self._manner, closeness=closeness))

    def through(self, play: Play, opaque: tuple[int, ...] = ()) -> Check:
        """The same check of `play(function, *args, **kwargs)`, which calls the function as often as it likes.

        play: a function of the suite's module (not made anew for each test); the first line of its docstring is told
        to the learner. opaque: positions of the returned tuple that are only ever handed back, their layout being the
        learner's own.
        """
        return self._in_this_manner(replace(self._manner, play=play, opaque=opaque))

    def exact(self, *args: Any, **kwargs: Any) -> Any:
        """Bitwise equal: data movement, masks, integers."""
        return self._value(self._probe(args, kwargs, closeness=replace(self._manner.closeness, exact=True)))

    def gradient(self, *args: Any, wrt: tuple[Path, ...] | None = None, **kwargs: Any) -> Any:
        """Value and gradients (of all floating arguments, or of those named) must be the reference's."""
        return self._value(self._with_gradients(args, kwargs, wrt, finite_only=False))

    def finite_gradient(self, *args: Any, wrt: tuple[Path, ...] | None = None, **kwargs: Any) -> Any:
        """The value must be right and every gradient finite."""
        return self._value(self._with_gradients(args, kwargs, wrt, finite_only=True))

    def raises(self, *args: Any, **kwargs: Any) -> None:
        """The arguments must be refused with a ValueError."""
        self._judge(self._probe(args, kwargs, aim="raises"))

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The learner's value, not compared: for laws."""
        return self._returned(self._probe(args, kwargs, aim="call")).value

    def unchanged(self, *args: Any, **kwargs: Any) -> Any:
        """No call of the exercise so far may have changed its arguments, nor the result of an earlier call."""
        value = self.call(*args, **kwargs)
        for observation in self._examination.observations:
            outcome = observation.outcome
            if isinstance(outcome, Returned) and outcome.changed_inputs:
                names = " and ".join(path_name(path, observation.probe.names) for path in outcome.changed_inputs)
                raise Failed("failed", f"Your function changes what it was given: {names}.", observation)
            if isinstance(outcome, Returned) and outcome.stale:
                raise Failed("failed", "A later call changes the result of an earlier one.", observation)
        return value

    def leaves_no_trace(self, *args: Any, **kwargs: Any) -> Any:
        """The call moves no global random state, and its result asks for no gradients."""
        outcome = self._returned(self._probe(args, kwargs, aim="call", traceless=True))
        self.expect(RANDOM_STATE not in outcome.effects, "Your function moves torch's global random state.")
        self.expect(REQUIRES_GRAD not in outcome.effects, "Tensors of your result require gradients.")
        return outcome.value

    def expect(self, condition: Any, sentence: str) -> None:
        """A law: the condition must hold."""
        if not bool(condition):
            raise Failed("failed", sentence)

    def close(self, a: Any, b: Any, atol: float, sentence: str) -> None:
        """A law between two of the learner's own results: equal within atol, NaN nowhere."""
        if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
            raise Failed("failed", "A tensor was expected.")
        if a.is_complex() or b.is_complex():  # laws are of real numbers: to leave out a part would be no comparison
            raise Failed("failed", "Your result is complex; real numbers were expected.")
        same_shape = a.shape == b.shape
        self.expect(same_shape and bool(((a.double() - b.double()).abs() <= atol).all()), sentence)

    def _with_gradients(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any], wrt: tuple[Path, ...] | None, finite_only: bool
    ) -> Probe:
        paths = gradient_paths(args, kwargs) if wrt is None else tuple(wrt)
        seed = (self._seed + 1) % 2**31
        return self._probe(args, kwargs, aim="gradient", wrt=paths, cotangent_seed=seed, finite_only=finite_only)

    def _probe(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], **how: Any) -> Probe:
        return replace(self._manner, args=args, kwargs=kwargs, **how)

    def _in_this_manner(self, manner: Probe) -> Check:
        return Check(self._examination, self._test, self._seed, manner)

    def _value(self, probe: Probe) -> Any:
        outcome = self._judge(probe).outcome
        return outcome.value if isinstance(outcome, Returned) else None

    def _returned(self, probe: Probe) -> Returned:
        observation = self._observe(probe)
        if not isinstance(observation.outcome, Returned):
            raise self._failure(observation)
        return observation.outcome

    def _judge(self, probe: Probe) -> Observation:
        observation = self._observe(probe)
        if observation.failed:
            raise self._failure(observation)
        return observation

    def _observe(self, probe: Probe) -> Observation:
        examination = self._examination
        asked = sum(o.test == self._test for o in examination.observations)
        probe = examination.posed(self._test, asked, replace(probe, names=examination.names))
        ahead = examination.answering(self._test, asked, probe)
        if ahead is None:
            expected = examination.answer(self._test, asked, probe)
            outcome = examination.ask(probe, expected)
        else:
            outcome = examination.ask(probe, None)
            expected = ahead.result()
        outcome = _within_reason(outcome, expected)
        observation = Observation(self._test, probe, expected, outcome, compare(outcome, expected, probe))
        examination.observations.append(observation)
        return observation

    def _failure(self, observation: Observation) -> Failed:
        difference = observation.comparison.difference
        sentence = difference.sentence if difference else "Your function did not answer."
        return Failed(trouble(observation.outcome, observation.comparison), sentence, observation)


def _within_reason(outcome: Outcome, expected: Answer) -> Outcome:
    """The outcome, or a remark on its size when it is far larger than the answer."""
    if not isinstance(outcome, Returned):
        return outcome
    held = size((outcome.value, outcome.gradients))
    if held <= max(KEPT_NUMBERS, 8 * expected.size):
        return outcome
    return NotAValue("far more numbers than the answer has", outcome.output)


def trouble(outcome: Outcome, comparison: Comparison) -> Trouble:
    """The status of a test that ended with this outcome."""
    if isinstance(outcome, Died):
        return outcome.reason if outcome.reason == "timeout" or outcome.reason == "memory" else "crashed"
    if isinstance(outcome, Raised):
        if outcome.is_not_implemented:
            return "not_started"
        if outcome.is_memory:
            return "memory"
        expected: Difference | None = comparison.difference
        return "failed" if expected and expected.kind == "wrong-exception" else "error"
    return "failed"


def computed_in_float32(observations: list[Observation]) -> bool:
    """Whether float64 questions were answered right, but only to float32's precision."""
    return any(
        o.probe.dtype == torch.float64 and not o.failed and o.probe.closeness.rtol is None and o.comparison.fine > 1e4
        for o in observations
    )
