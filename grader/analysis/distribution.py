"""How points are distributed: five numbers, the mean, and bins of a round width."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, fsum, inf

MOST_BINS = 12
_ROUND = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Bin:
    """Points from `low` on, below `high`; the last bin holds `high` too."""

    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """Quartiles are interpolated linearly between the two nearest values (Hyndman and Fan's type 7, as numpy does)."""

    students: int
    possible: int
    lowest: float
    lower_quartile: float
    median: float
    upper_quartile: float
    highest: float
    mean: float
    bins: tuple[Bin, ...]


def distribution(points: Iterable[float], possible: int) -> Distribution:
    """The distribution of the points of at least one student. Raises ValueError for nobody."""
    ordered = sorted(points)
    if not ordered:
        raise ValueError("nobody has any points")
    return Distribution(
        students=len(ordered),
        possible=possible,
        lowest=ordered[0],
        lower_quartile=_quantile(ordered, 0.25),
        median=_quantile(ordered, 0.5),
        upper_quartile=_quantile(ordered, 0.75),
        highest=ordered[-1],
        mean=fsum(ordered) / len(ordered),
        bins=_bins(ordered, possible),
    )


def _quantile(ordered: list[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _bins(ordered: list[float], possible: int) -> tuple[Bin, ...]:
    """Bins over all points that there are, and at least from 0 to `possible`: points by hand may lie outside."""
    low, high = min(0.0, ordered[0]), max(float(possible), ordered[-1], 1.0)
    width = _round_width(low, high)
    first = floor(low / width)
    number = max(1, ceil(high / width) - first)
    counts = [0] * number
    for value in ordered:
        counts[min(floor(value / width) - first, number - 1)] += 1
    edges = [(first + place) * width for place in range(number)] + [inf]
    return tuple(
        Bin(float(edges[place]), min(float(edges[place + 1]), high), count) for place, count in enumerate(counts)
    )


def _round_width(low: float, high: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, ... that makes at most MOST_BINS bins."""
    scale = 1
    while True:
        for step in _ROUND:
            width = step * scale
            if ceil(high / width) - floor(low / width) <= MOST_BINS:
                return width
        scale *= 10
