"""Cells of a CSV file: text that no program obeys, and numbers as they are."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

from grader.render.harmless import harmless_text

Cell = str | int | Decimal

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a spreadsheet takes for the beginning of a formula, in full width too."""
_PLACES = Decimal("0.01")


def plain(text: str) -> str:
    """The text with control characters spelled out, and halves of surrogate pairs, which UTF-8 cannot hold."""
    return harmless_text(text).encode("utf-8", "backslashreplace").decode("utf-8")


def guarded(text: str) -> str:
    """The text so that a spreadsheet shows it and does not calculate it: a leading apostrophe where it might."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def number(points: int | Decimal) -> str:
    """Points with at most two decimals and no needless zero, half rounded up."""
    rounded = Decimal(points).quantize(_PLACES, ROUND_HALF_UP)
    text = f"{rounded:f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text


def csv_line(cells: Iterable[Cell], *, safe: bool = False, delimiter: str = ",", end: str = "\n") -> str:
    """One record. Text is made plain and, if asked for, guarded; a number is never touched."""
    return raw_line((cell_text(cell, safe=safe) for cell in cells), delimiter=delimiter, end=end)


def raw_line(cells: Iterable[str], *, delimiter: str = ",", end: str = "\n") -> str:
    """One record of cells as they are."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator=end).writerow(cells)
    return buffer.getvalue()


def cell_text(cell: Cell, *, safe: bool) -> str:
    """A cell as it is written: text made plain and, if asked for, guarded."""
    if not isinstance(cell, str):
        return number(cell)
    return plain(guarded(cell) if safe else cell)
