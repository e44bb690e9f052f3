"""Right answers written in other ways: each must pass its suite, so that no style is punished."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Variation:
    """One right answer. says: in a sentence, what is different about it (the docstring's first line)."""

    exercise: str
    name: str
    says: str
    function: Callable[..., Any]


class Variations:
    """The right variations of one lesson.

    @variations.right("rms_norm")
    def by_rsqrt(x, weight, eps=1e-6):
        \"\"\"Multiplies by rsqrt instead of dividing by the root.\"\"\"
    """

    def __init__(self, lesson: str) -> None:
        self.lesson = lesson
        self.all: list[Variation] = []

    def right(self, exercise: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register a right answer to an exercise under its function's name. Raises ValueError without a docstring."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            says = (function.__doc__ or "").strip()
            if not says:
                raise ValueError(f"the variation {function.__name__} of {self.lesson}.{exercise} needs a docstring")
            name = function.__name__.replace("_", "-")
            self.all.append(Variation(f"{self.lesson}.{exercise}", name, says.splitlines()[0], function))
            return function

        return register

    def of(self, exercise: str) -> list[Variation]:
        """The variations of an exercise, by its name."""
        return [variation for variation in self.all if variation.exercise == f"{self.lesson}.{exercise}"]
