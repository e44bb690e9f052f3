"""The catalogue of known mistakes: for each exercise one function with a switch at every fork.

Two switches on at once are the pair, so common combinations need no code of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

MOST_PAIRS = 400
"""Pairs that are tried for one exercise; a rarer one is not worth the learner's wait."""

Wrong = Callable[[str], bool]
"""`wrong("eps-outside-root")` says whether that switch is on."""


@dataclass(frozen=True)
class Misconception:
    """One mistake that people make.

    says: one or two sentences to the learner; section: the heading in the lesson that explains it;
    fails: for a mistake that no value shows, the suite's test that must fail; alone: not composed into pairs;
    same_as: other names of the exercise that no input tells apart.
    """

    name: str
    says: str
    section: str
    fails: str | None = None
    alone: bool = False
    same_as: tuple[str, ...] = ()
    exercise: str = ""

    @property
    def id(self) -> str:
        """`normalization.rms_norm.eps-outside-root`."""
        return f"{self.exercise}.{self.name}"


@dataclass(frozen=True)
class Flawed:
    """The parametric function of one exercise and its mistakes."""

    exercise: str
    function: Callable[..., Any]
    misconceptions: tuple[Misconception, ...]

    def variant(self, names: Collection[str]) -> Callable[..., Any]:
        """The function with these mistakes made (none: the right answer). Raises KeyError for an unknown name."""
        known = {m.name for m in self.misconceptions}
        if unknown := set(names) - known:
            raise KeyError(f"{self.exercise} has no misconception {sorted(unknown)}")
        chosen = frozenset(names)

        def wrong(name: str) -> bool:
            if name not in known:
                raise KeyError(f"{self.exercise} declares no misconception {name!r}")
            return name in chosen

        return partial(self.function, wrong)

    def pairs(self) -> list[tuple[Misconception, Misconception]]:
        """Two mistakes that may be made together, the commoner first: a catalogue lists common mistakes first."""
        common = list(enumerate(m for m in self.misconceptions if not m.alone))
        both = sorted(combinations(common, 2), key=lambda pair: pair[0][0] + pair[1][0])
        return [(a, b) for (_, a), (_, b) in both[:MOST_PAIRS]]

    def named(self, name: str) -> Misconception:
        """The misconception of that name. Raises KeyError."""
        for misconception in self.misconceptions:
            if misconception.name == name:
                return misconception
        raise KeyError(f"{self.exercise} has no misconception {name!r}")


class Catalogue:
    """The mistakes of one lesson, by exercise."""

    def __init__(self, lesson: str) -> None:
        self.lesson = lesson
        self.exercises: dict[str, Flawed] = {}

    def flawed(
        self, exercise: str, *misconceptions: Misconception
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register a parametric function `(wrong, *arguments)` for an exercise."""
        names = [m.name for m in misconceptions]
        if len(names) != len(set(names)):
            raise ValueError(f"{self.lesson}.{exercise}: a misconception is declared twice")
        if exercise in self.exercises:
            raise ValueError(f"{self.lesson}.{exercise} is registered twice")
        full = f"{self.lesson}.{exercise}"

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self.exercises[exercise] = Flawed(full, function, tuple(replace(m, exercise=full) for m in misconceptions))
            return function

        return register
