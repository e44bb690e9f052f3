"""Rows of measurements: picked, gathered over the seeds, and turned into the lines of a figure."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.lab.experiment import Row, Value
from grader.lab.figure import Line


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, lowest and highest over the seeds; all None if one of the values is not finite."""

    mean: float | None
    low: float | None
    high: float | None

    def columns(self, key: str) -> dict[str, Value]:
        """As three cells of a row: `key`, `key_low`, `key_high`."""
        return {key: self.mean, f"{key}_low": self.low, f"{key}_high": self.high}


def spread(rows: Sequence[Row], key: str) -> Spread:
    """The spread of one column over at least one row."""
    values = [number(row, key) for row in rows]
    finite_ones = [value for value in values if value is not None]
    if len(finite_ones) < len(values):
        return Spread(None, None, None)
    return Spread(math.fsum(finite_ones) / len(finite_ones), min(finite_ones), max(finite_ones))


def finite(value: float) -> float | None:
    """The value, or None where JSON has no word for it."""
    return value if math.isfinite(value) else None


def number(row: Row, key: str) -> float | None:
    """A cell that holds a number or None. Raises TypeError for a word."""
    value = row[key]
    if isinstance(value, str):
        raise TypeError(f"{key} is {value!r}, not a number")
    return None if value is None else float(value)


def pick(rows: Iterable[Row], **cells: Value) -> list[Row]:
    """The rows that hold all these cells."""
    return [row for row in rows if all(row[key] == value for key, value in cells.items())]


def lines(rows: Sequence[Row], by: str, x: str, y: str, baselines: Sequence[str]) -> tuple[Line, ...]:
    """A line for each word in the column `by`, in the order of their first rows.

    Bands are drawn where there are columns `y_low` and `y_high`.
    """
    drawn = []
    for label in dict.fromkeys(str(row[by]) for row in rows):
        mine = pick(rows, **{by: label})
        low, high = ([number(row, f"{y}_{end}") for row in mine if f"{y}_{end}" in row] for end in ("low", "high"))
        xs = [value for row in mine if (value := number(row, x)) is not None]
        drawn.append(Line(label, xs, [number(row, y) for row in mine], low, high, label in baselines))
    return tuple(drawn)
