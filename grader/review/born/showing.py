"""Inputs and results in a terminal: few numbers, exact inputs, results rounded to what tells the options apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import torch
from torch import Tensor

from grader.judge.observation import Observation
from grader.judge.play import Play
from grader.judge.values import Place, leaves, size
from grader.sandbox.reply import Outcome, Raised, Returned

MOST_NUMBERS = 40
"""Inputs of more numbers than this are not read, let alone computed with."""
MOST_DIGITS = 4
"""Decimal digits of an input number."""
LINE = 88
"""Characters on one line of an input."""
IN_A_ROW, IN_A_TABLE, TRUTHS = 8, 6, 12
"""Numbers of a result that stand in one option: in a row, in a table; and booleans in a row."""
MOST_RESULTS = 64
"""A result of more numbers than this is nothing that a person computes."""
MOST_VIEWS = 48
"""Rows or entries of a result that are looked at."""
DIGITS = (3, 4, 5, 6)
"""Digits to which results are rounded: as few of these as will do."""
DUST = 1e-7
"""What is so small beside the largest number is a rounding error."""
UNITS = 3
"""Options differ by at least so many units of their last digit."""


def inputs(question: Observation, function: str) -> str | None:
    """The arguments and the call as Python, the result being `y`; None if a person cannot read them.

    Every number is written in full: what is computed from the text is what was computed here.
    """
    probe = question.probe
    if probe.size > MOST_NUMBERS or probe.dtype not in (None, torch.float64):
        return None
    lines, passed = [], []
    named = [(name, value, False) for name, value in zip(probe.labels, probe.args, strict=False)]
    for name, value, by_keyword in [*named, *((name, value, True) for name, value in probe.kwargs.items())]:
        text = written(value)
        if text is None:
            return None
        if value is None or isinstance(value, bool | int | float | str):
            passed.append(f"{name}={text}")
        else:
            lines.append(f"{name} = {text}")
            # After one argument by keyword Python takes no further ones by position.
            passed.append(f"{name}={name}" if by_keyword or any("=" in other for other in passed) else name)
    if probe.play is None:
        return "\n".join([*lines, f"y = {function}({', '.join(passed)})"])
    used = f"y = {probe.play.__name__}({', '.join([function, *passed])})"
    return "\n".join([*lines, f"# {probe.play.__name__}: {_way(probe.play)}", used])


def _way(play: Play) -> str:
    """How a play uses the function."""
    return (play.__doc__ or "the function is called several times").strip().splitlines()[0]


def written(value: Any) -> str | None:
    """A value as Python that a person can read at a glance, None if that cannot be done exactly."""
    if isinstance(value, Tensor):
        if value.dim() > 4 or not value.numel() or value.numel() > MOST_NUMBERS:
            return None
        return _nested(value.tolist())
    if value is None or isinstance(value, bool | int | float | str):
        return _exact(value)
    if isinstance(value, list | tuple):
        parts = [written(part) for part in value]
        return (
            None if None in parts else _bracketed([p for p in parts if p], "()" if isinstance(value, tuple) else "[]")
        )
    if isinstance(value, Mapping):
        pairs = [(key, written(part)) for key, part in value.items()]
        if any(text is None for _, text in pairs):
            return None
        return _bracketed([f"{key!r}: {text}" for key, text in pairs], "{}")
    return None


def _nested(rows: Any) -> str | None:
    if not isinstance(rows, list):
        return _exact(rows)
    parts = [_nested(row) for row in rows]
    return None if None in parts else _bracketed([part for part in parts if part], "[]")


def _bracketed(parts: list[str], brackets: str) -> str:
    """On one line if it fits, or else a part on each line."""
    together = brackets[0] + ", ".join(parts) + brackets[1]
    if len(together) <= LINE and "\n" not in together:
        return together
    return brackets[0] + ",\n".join(parts).replace("\n", "\n ") + brackets[1]


def _exact(value: Any) -> str | None:
    if isinstance(value, float) and math.isfinite(value):
        text = f"{value:.{MOST_DIGITS}g}"
        if not math.isclose(float(text), value, rel_tol=1e-12):
            return None
        return f"{text}.0" if text.lstrip("-").isdigit() else text
    return repr(value)


@dataclass(frozen=True)
class Seen:
    """What is seen of a result: its shape and numbers, or (`raised`) that there is none.

    is_plain: a number of Python's own, whose type can be seen: 8 is no 8.0.
    """

    shape: tuple[int, ...] = ()
    numbers: tuple[Any, ...] = ()
    raised: str = ""
    is_plain: bool = False

    def text(self, digits: int) -> str:
        """As an option shows it."""
        if self.raised:
            return f"an error ({self.raised})"
        text = _shaped([rounded(number, digits) for number in self.numbers], self.shape)
        is_whole_float = self.is_plain and isinstance(self.numbers[0], float) and text.lstrip("-").isdigit()
        return f"{text}.0" if is_whole_float else text

    def is_exact(self, digits: int) -> bool:
        """Whether so many digits show every number as it is."""
        floats = [number for number in self.numbers if isinstance(number, float) and math.isfinite(number)]
        return all(math.isclose(float(rounded(number, digits)), number, rel_tol=1e-12) for number in floats)

    def gap(self, other: Seen) -> float:
        """The largest relative distance of two numbers that can be compared; infinite where there is none."""
        pairs = list(zip(self.numbers, other.numbers, strict=False))
        gaps = [abs(a - b) / max(abs(a), abs(b), 1e-300) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
        alike = self.shape == other.shape and len(gaps) == len(pairs)
        return max(gaps, default=math.inf) if alike else math.inf

    def apart(self, other: Seen, digits: int) -> bool:
        """Whether the two look different, and not by a rounding alone."""
        if self.raised or other.raised or self.shape != other.shape or self._other_type(other):
            return self.text(digits) != other.text(digits)
        return any(_apart(a, b, digits) for a, b in zip(self.numbers, other.numbers, strict=True))

    def _other_type(self, other: Seen) -> bool:
        return self.is_plain and type(self.numbers[0]) is not type(other.numbers[0])


def rounded(number: Any, digits: int) -> str:
    """A number to so many significant digits."""
    if not isinstance(number, float):
        return repr(number)
    number += 0.0  # minus zero reads as zero
    if not math.isfinite(number) or not 10**digits <= abs(number) < 1e9:
        return f"{number:.{digits}g}"
    return f"{number:.0f}"


def _apart(a: Any, b: Any, digits: int) -> bool:
    alike = a == b and not isinstance(a, bool) and not isinstance(b, bool)  # 1 and 1.0 differ by dtype alone
    if alike or rounded(a, digits) == rounded(b, digits):
        return False
    if not (isinstance(a, float) and isinstance(b, float) and math.isfinite(a) and math.isfinite(b)):
        return True
    return abs(a - b) >= UNITS * 10.0**-digits * max(abs(a), abs(b))


def _shaped(texts: list[str], shape: tuple[int, ...]) -> str:
    if not shape:
        return texts[0] if texts else "[]"
    size = len(texts) // shape[0] if shape[0] else 0
    return "[" + ", ".join(_shaped(texts[i * size : (i + 1) * size], shape[1:]) for i in range(shape[0])) + "]"


@dataclass(frozen=True)
class View:
    """One part of a result that is small enough to show: `y`, `y[1]`, `y[0]['w'][1, 2]` or `y.shape`."""

    place: Place = ()
    index: tuple[int, ...] = ()
    is_shape: bool = False

    @property
    def name(self) -> str:
        """It in Python."""
        parts = "".join(f"[{step!r}]" for step in self.place)
        parts += f"[{', '.join(map(str, self.index))}]" if self.index else ""
        return f"y{parts}.shape" if self.is_shape else f"y{parts}"

    def of(self, outcome: Outcome) -> Seen | None:
        """What is seen of an outcome through this view, None if it has no such part or one too large."""
        if isinstance(outcome, Raised):
            return Seen(raised=outcome.type_name)
        if not isinstance(outcome, Returned):
            return None
        value = outcome.value
        try:
            for step in self.place:
                value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
        if isinstance(value, Tensor):
            return self._of_tensor(value)
        plain = isinstance(value, bool | int | float)
        return Seen(numbers=(value,), is_plain=True) if plain and not self.index and not self.is_shape else None

    def _of_tensor(self, value: Tensor) -> Seen | None:
        if self.is_shape:
            return Seen((value.dim(),), tuple(value.shape))
        if any(i >= size for i, size in zip(self.index, value.shape, strict=False)) or len(self.index) > value.dim():
            return None
        part = value[self.index] if self.index else value
        if not _is_short(part):
            return None
        return Seen(tuple(part.shape), _without_dust(part.flatten().tolist()))


def _without_dust(numbers: list[Any]) -> tuple[Any, ...]:
    """Numbers with those that only rounding has kept from being 0 as 0."""
    sizes = [abs(number) for number in numbers if isinstance(number, float) and math.isfinite(number)]
    dust = DUST * max(sizes, default=0.0)
    return tuple(0.0 if isinstance(number, float) and abs(number) < dust else number for number in numbers)


def _is_short(part: Tensor) -> bool:
    if part.dim() > 1:
        return part.dim() == 2 and part.numel() <= IN_A_TABLE
    return part.numel() <= (TRUTHS if part.dtype == torch.bool else IN_A_ROW)


def views(outcome: Outcome) -> Iterator[View]:
    """Every part of a result that can be shown, the larger ones first, shapes last."""
    if not isinstance(outcome, Returned) or size(outcome.value) > MOST_RESULTS:
        return
    found = [(place, leaf) for place, leaf in leaves(outcome.value)]
    for place, leaf in found:
        if not isinstance(leaf, Tensor) or _is_short(leaf):
            yield View(place)
    for place, leaf in found:
        for axes in (1, 0):  # rows, then entries
            if isinstance(leaf, Tensor) and not _is_short(leaf) and leaf.dim() > axes:
                sizes = leaf.shape[: leaf.dim() - axes]
                every = list(product(*(range(size) for size in sizes)))[:MOST_VIEWS]
                yield from (View(place, index) for index in every)
    for place, leaf in found:
        if isinstance(leaf, Tensor):
            yield View(place, is_shape=True)
