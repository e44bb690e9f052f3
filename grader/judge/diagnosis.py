"""Naming the mistake from the numbers: which misconception answers as the learner's function did?

Every misconception is asked the same questions. It is named only if it gives the learner's answer wherever it differs
from the right one, and no other explains as much. Pairs are tried when no single mistake explains everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from grader.judge.agreement import LOOSELY, agree, alternative, disturbs, fragile, only_kind, precise
from grader.judge.misconception import Flawed, Misconception
from grader.judge.observation import Observation
from grader.sandbox.reply import Died, NotAValue, Raised

CLEARLY_NEARER = 10.0
"""The runner-up must lie this many times as far away before the nearest alone is named."""
MOST_NAMED = 3
"""Three causes can be read side by side; more say nothing."""


@dataclass(frozen=True)
class Diagnosis:
    """Mistakes that together, or (`either`) any one of which, explain the outcomes. rest: something is left over."""

    misconceptions: tuple[Misconception, ...]
    either: bool = False
    rest: bool = False

    @property
    def id(self) -> str:
        """The first's id, followed by the names of others made together with it, joined by plus signs."""
        first, *others = self.misconceptions
        return first.id if self.either else "+".join([first.id, *(m.name for m in others)])

    @property
    def sentence(self) -> str:
        """What the learner reads."""
        says = [m.says for m in self.misconceptions]
        if self.either:
            return "Your answers fit more than one cause. " + " Or: ".join(says)
        rest = " Something else is wrong as well." if self.rest else ""
        if len(says) > 1:
            return "Two things at once. First: " + " Second: ".join(says) + rest
        return says[0] + rest


@dataclass
class _Fit:
    """How well some mistakes, made together, explain the observations.

    explained: observations where they depart from the answer just as the learner did; proven: those of them where
    numbers say so; contradicted: where they depart from it and the learner clearly did something else; unexplained:
    where the learner failed and they do not; doubtful: where both failed, each in a way of its own; missed: where
    learner and variant differ at all; agreed: where they do not, loose of them by the kind of failure alone; fine: the
    largest distance between the two in float64 lines.
    """

    mistakes: tuple[Misconception, ...]
    explained: int = 0
    proven: int = 0
    contradicted: int = 0
    unexplained: int = 0
    doubtful: int = 0
    missed: int = 0
    loose: int = 0
    agreed: int = 0
    fine: float = 0.0

    @property
    def whole(self) -> bool:
        """They answer as the learner did, everywhere."""
        return self.explained > 0 and self.missed == 0 and self._telling

    @property
    def core(self) -> bool:
        """They explain the failures, and differ from the learner only in exceptions, NaN and rounding."""
        return self.explained > self.doubtful and not self.contradicted and not self.unexplained and self._telling

    @property
    def _telling(self) -> bool:
        """A mistake that gives NaN everywhere is loosely like every other; most of the likeness must be in numbers."""
        return self.loose <= self.agreed / 2

    def partial(self, formula_failed: bool) -> bool:
        """They explain something and contradict nothing; where a formula is wrong, range proves nothing."""
        return (self.proven if formula_failed else self.explained) > 0 and self.contradicted == 0


def diagnose(flawed: Flawed, observations: Sequence[Observation]) -> Diagnosis | None:
    """Name the mistake, or None if nothing in the catalogue explains the outcomes.

    When nothing explains them all, range, precision and refusals are left aside: a formula may be wrong in a way that
    is known, and the other tests fail for reasons of their own.
    """
    usable = [o for o in observations if not isinstance(o.outcome, Died | NotAValue)]
    usable.sort(key=lambda o: o.probe.size)  # small questions first: most candidates drop out at once
    if not any(o.failed or disturbs(o.outcome, o.probe) for o in usable):
        return None
    if named := _whole(flawed, usable):
        return named
    singles = [_fit(flawed, (m,), usable) for m in flawed.misconceptions]
    cores = [fit for fit in singles if fit.core]
    if named := _nearest(cores):
        return replace(named, rest=any(fit.doubtful for fit in cores))
    formulas = [o for o in usable if precise(o.probe) and o.probe.aim != "raises"]
    formula_failed = any(o.failed for o in formulas)
    if formula_failed and (named := _whole(flawed, formulas)):
        return replace(named, rest=True)
    return _most_explaining([fit for fit in singles if fit.partial(formula_failed)])


def _whole(flawed: Flawed, observations: Sequence[Observation]) -> Diagnosis | None:
    """The mistake, or else the two, that explain every observation."""
    singles = [_fit(flawed, (m,), observations, stop_early=True) for m in flawed.misconceptions]
    if named := _nearest([fit for fit in singles if fit.whole]):
        return named
    pairs = (_fit(flawed, pair, observations, stop_early=True) for pair in flawed.pairs())
    return _nearest([fit for fit in pairs if fit.whole])


def _fit(
    flawed: Flawed, mistakes: tuple[Misconception, ...], observations: Iterable[Observation], stop_early: bool = False
) -> _Fit:
    names = frozenset(m.name for m in mistakes)
    fit = _Fit(mistakes)
    for observation in observations:
        other = alternative(flawed, names, observation.probe, observation.answer)
        distance = agree(observation, other)
        if distance is None and stop_early:
            fit.missed += 1
            break
        departs = other.departs
        if distance is not None:
            fit.fine = max(fit.fine, distance)
            fit.agreed += 1
            fit.loose += distance == LOOSELY
            # That both raised the same type says little: many mistakes do.
            said = departs and not (isinstance(other.outcome, Raised) and observation.probe.aim != "raises")
            fit.explained += said
            fit.proven += said and not only_kind(observation, other)
            continue
        fit.missed += 1
        failed = observation.failed or bool(disturbs(observation.outcome, observation.probe))
        fit.unexplained += failed and not departs
        if departs and not fragile(observation, other):
            fit.contradicted += 1
            break  # whatever the rest says, it is not that
        fit.doubtful += failed and departs and fragile(observation, other)
    return fit


def _nearest(fits: list[_Fit]) -> Diagnosis | None:
    """Among mistakes that explain everything, the nearest; those as near are named beside it."""
    if not fits:
        return None
    fits.sort(key=lambda fit: fit.fine)
    near = [fit for fit in fits if fit.fine <= CLEARLY_NEARER * max(fits[0].fine, 1.0)]
    if len(near) == 1:
        return Diagnosis(near[0].mistakes)
    if all(len(fit.mistakes) == 1 for fit in near):
        return Diagnosis(tuple(fit.mistakes[0] for fit in near[:MOST_NAMED]), either=True)
    shared = [m for m in near[0].mistakes if all(m in fit.mistakes for fit in near)]
    return Diagnosis((shared[0],), rest=True) if shared else None


def _most_explaining(fits: list[_Fit]) -> Diagnosis | None:
    """Among mistakes that explain a part, the one that explains most, if it is alone in that."""
    fits.sort(key=lambda fit: -fit.explained)
    if not fits or (len(fits) > 1 and fits[1].explained == fits[0].explained):
        return None
    return Diagnosis(fits[0].mistakes, rest=True)
