"""A figure as data: what its axes say and which lines are drawn. How it looks is up to `plot`."""

from collections.abc import Sequence
from dataclasses import dataclass

Number = float | None
"""A measured value; None is left out of the line."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: what it shows, with the unit, and whether it is logarithmic.

    ticks: where numbers stand, each written as it is; None leaves that to the plotter. falling: the largest value
    stands first, so that lines which part towards small values part where their names are.
    """

    label: str
    log: bool = False
    ticks: tuple[float, ...] | None = None
    falling: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its name at its right end, and the spread over the seeds as a band, where `low` and `high` are given.

    baseline: what the others are compared with; it is drawn in black.
    """

    label: str
    x: Sequence[float]
    y: Sequence[Number]
    low: Sequence[Number] = ()
    high: Sequence[Number] = ()
    baseline: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A thin straight line across the panel with a word at it: a level (`y`) or a place (`x`)."""

    label: str
    x: float | None = None
    y: float | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes."""

    heading: str
    x: Axis
    y: Axis
    lines: tuple[Line, ...]
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """Panels side by side under a title that states the question, and a line that says under what conditions."""

    title: str
    conditions: str
    panels: tuple[Panel, ...]
