"""Whether an item tells the stronger from the weaker: the corrected item-rest correlation, one learner at a time."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

FEWEST = 30
"""Learners below which a correlation is noise: with 30, one of 0.36 is just told from none (two-sided, 5 %)."""


@dataclass(frozen=True, slots=True)
class Discrimination:
    """value: from -1 to 1, None if it is refused; why: the reason then, shortly; learners: how many it rests on."""

    value: float | None
    why: str
    learners: int


class ItemRest:
    """The point-biserial correlation of an item (right or not) with the same learners' share of everything else.

    The item itself is left out of the other side ("corrected"), or it would correlate with itself. The means and the
    sums of squares are carried along (Welford 1962; for the product West 1979), so nothing of a learner is kept and
    nothing cancels.
    """

    __slots__ = ("_covered", "_rest_mean", "_rest_squares", "_right", "learners")

    def __init__(self) -> None:
        self.learners = 0
        self._right = 0
        self._rest_mean = 0.0
        self._rest_squares = 0.0
        self._covered = 0.0

    def add(self, right: bool, rest: float) -> None:
        """One learner: whether the item was right, and the share of everything else, 0 to 1."""
        mean_right = self._right / self.learners if self.learners else 0.0
        self.learners += 1
        self._right += right
        apart = rest - self._rest_mean
        self._rest_mean += apart / self.learners
        self._rest_squares += apart * (rest - self._rest_mean)
        self._covered += (right - mean_right) * (rest - self._rest_mean)

    def result(self) -> Discrimination:
        """The correlation, or why there is none."""
        count = self.learners
        if count < FEWEST:
            return Discrimination(None, f"{count} of the {FEWEST} needed", count)
        if not 0 < self._right < count:
            return Discrimination(None, f"all have it {'right' if self._right else 'wrong'}", count)
        # Equal shares leave a trace of rounding behind, which no variance is.
        if self._rest_squares <= count * 1e-12:
            return Discrimination(None, "all do equally well in the rest", count)
        right_squares = self._right * (count - self._right) / count
        value = self._covered / sqrt(right_squares * self._rest_squares)
        return Discrimination(max(-1.0, min(1.0, value)), "", count)
