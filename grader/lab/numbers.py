"""Numbers as people write them in a report, and whether a recorded number bears them out.

A number stands in a record if some recorded value, rounded to the digits that were written, is that number. With fewer
than three digits nearly everything would: then the recorded value must be that number exactly. A percentage without a
sum in brackets is looked up as a share, `25 %` as 0.25; what is recorded beyond -1 and 1 is no share.

A number that stands in no record may follow from two that do, and then says so in brackets behind it, up to three words
later:

    38 % (2.43 against 1.76)        100 (a / b - 1), either sign
    1.4 times (2.43 against 1.76)   a / b
    0.67 (2.43 minus 1.76)          a - b, either sign
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from grader.lab.record import RecordedNumber

FEWEST_DIGITS = 3
"""Significant digits that a rounded number needs to be looked up."""

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+"
_NUMBER = rf"(?:{_DIGITS})(?:[eE][+-]?\d+)?"
# Not the digits of a name (float32, GPT-2, v1.2.3), but those of `16-block` and `3x`. A minus behind a word is no sign.
_WRITTEN = re.compile(
    rf"(?<![\w.])(?<![A-Za-z]-)(?P<sign>(?<![\w)\]])-)?(?P<number>{_NUMBER})(?P<percent>\s?%)?(?:\s?(?:x|times)\b|\s?\u00d7)?"
    rf"(?P<sum>(?:\s+[A-Za-z/]+){{0,3}}\s*\(\s*(?P<a>-?{_NUMBER})\s+(?P<how>against|minus)\s+(?P<b>-?{_NUMBER})\s*\))?"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A number that a report claims, as it was written; `line` counts from 1.

    percent: it is a share of a hundred. how, a, b: of a derived one, `against` or `minus`, and what it follows from.
    """

    text: str
    line: int
    number: str
    percent: bool = False
    how: str | None = None
    a: str = ""
    b: str = ""


def claims(line: str, number: int) -> Iterator[Claim]:
    """The numbers in a line of text, which is line `number` of its file."""
    for match in _WRITTEN.finditer(unicodedata.normalize("NFKC", line.replace("\u2212", "-"))):
        yield Claim(
            text=match[0].strip(),
            line=number,
            number=(match["sign"] or "") + match["number"],
            percent=match["percent"] is not None,
            how=match["how"],
            a=match["a"] or "",
            b=match["b"] or "",
        )


def borne_out(claim: Claim, recorded: Sequence[RecordedNumber]) -> bool:
    """Whether the claim stands in a record, or follows from two numbers that do."""
    if claim.how is None:
        return any(_says(claim.number, value) for value in _values(claim, recorded))
    first = {number.value for number in standing(claim.a, recorded)}
    second = {number.value for number in standing(claim.b, recorded)}
    return any(
        _says(claim.number.lstrip("-"), abs(result), fewest=1)
        for a in first
        for b in second
        if (result := _result(claim, a, b)) is not None
    )


def standing(written: str, recorded: Iterable[RecordedNumber]) -> list[RecordedNumber]:
    """The recorded numbers that bear out a number as it was written."""
    return [number for number in recorded if _says(written, number.value)]


def nearest(written: str, recorded: Sequence[RecordedNumber], percent: bool = False) -> RecordedNumber | None:
    """The recorded number that lies nearest, or None without records. Measured ones come before all others.

    percent: what was written is a hundred times what should be recorded.
    """
    value = float(_plain(written)) / (100 if percent else 1)
    found = [number for number in recorded if number.place.startswith(("measured", "timing"))]
    return min(found or recorded, key=lambda number: abs(number.value - value), default=None)


def _values(claim: Claim, recorded: Iterable[RecordedNumber]) -> Iterator[float]:
    for number in recorded:
        if not claim.percent:
            yield number.value
        elif abs(number.value) <= 1:
            yield 100 * number.value


def _result(claim: Claim, a: float, b: float) -> float | None:
    if claim.how == "minus":
        return a - b
    if b == 0:
        return None
    return 100 * (a / b - 1) if claim.percent else a / b


def too_short(written: str) -> bool:
    """Whether a number has so few digits that only the very same recorded number bears it out."""
    return len(Decimal(_plain(written)).as_tuple().digits) < FEWEST_DIGITS


def _says(written: str, value: float, fewest: int = FEWEST_DIGITS) -> bool:
    """Whether `value`, to the digits written, is the written number; one of fewer digits it must be exactly."""
    plain = Decimal(_plain(written))
    if math.isclose(float(plain), value, rel_tol=1e-12):
        return True
    if len(plain.as_tuple().digits) < fewest:
        return False
    unit = Decimal(1).scaleb(int(plain.as_tuple().exponent))
    # Half a unit, and a trace more: of 2.5 both 2 and 3 are taken for the rounded value.
    return abs(Decimal(value) - plain) <= unit / 2 * (1 + Decimal("1e-9"))


def _plain(written: str) -> str:
    return written.replace(",", "")
