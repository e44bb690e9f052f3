"""A drawing of which lessons build on which: rows from top to bottom, a line from each lesson to what builds on it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

WIDTH = 640
ROW = 76
HEIGHT = 42
_GAP = 12
_LETTER = 8.6
"""The width of a letter, for how long a line of a name may be."""


@dataclass(frozen=True, slots=True)
class Box:
    """A lesson in the drawing: its middle at the top, its width, and its title in one or two lines."""

    slug: str
    x: float
    y: float
    width: float
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NeedsMap:
    """Boxes in the order of the course, and lines as paths. Lines that follow from others are left out."""

    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    height: float
    width: float = WIDTH
    box_height: float = HEIGHT


def needs_map(lessons: Sequence[tuple[str, str, Sequence[str]]]) -> NeedsMap:
    """The drawing of lessons in their order: slug, title and what each needs, all of it earlier in the course."""
    needs = _nearest({slug: frozenset(needed) for slug, _, needed in lessons})
    titles = {slug: title for slug, title, _ in lessons}
    rows = _rows(needs)
    boxes: dict[str, Box] = {}
    for level, row in enumerate(rows):
        slot = WIDTH / len(row)
        for place, slug in enumerate(_ordered(row, needs, boxes)):
            lines = tuple(textwrap.wrap(titles[slug], int((slot - _GAP) / _LETTER), break_long_words=False))
            width = min(slot - _GAP, max(map(len, lines)) * _LETTER + 2 * _GAP)
            boxes[slug] = Box(slug, (place + 0.5) * slot, level * ROW + 1, width, lines)
    return NeedsMap(
        tuple(boxes[slug] for slug in titles),
        tuple(_line(boxes[each], boxes[slug]) for slug in titles for each in sorted(needs[slug])),
        (len(rows) - 1) * ROW + HEIGHT + 2,
    )


def _nearest(needs: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Only what no other need has among its own."""
    behind: dict[str, frozenset[str]] = {}
    for slug, needed in needs.items():
        behind[slug] = needed.union(*(behind[each] for each in needed))
    return {
        slug: frozenset(each for each in needed if not any(each in behind[other] for other in needed))
        for slug, needed in needs.items()
    }


def _rows(needs: Mapping[str, frozenset[str]]) -> list[list[str]]:
    """Each lesson below all that it needs; what needs nothing stands right above what first needs it."""
    level: dict[str, int] = {}
    for slug, needed in needs.items():
        level[slug] = 1 + max((level[each] for each in needed), default=-1)
    for slug, needed in needs.items():
        users = [level[user] for user, its in needs.items() if slug in its]
        if not needed and users:
            level[slug] = min(users) - 1
    return [[slug for slug in needs if level[slug] == row] for row in range(max(level.values()) + 1)]


def _ordered(row: Iterable[str], needs: Mapping[str, frozenset[str]], above: Mapping[str, Box]) -> list[str]:
    """Each as nearly under what it needs as its row allows; what needs nothing stands at the right."""
    return sorted(row, key=lambda slug: fmean(above[each].x for each in needs[slug]) if needs[slug] else WIDTH)


def _line(upper: Box, lower: Box) -> str:
    start, end = upper.y + HEIGHT, lower.y
    middle = (start + end) / 2
    return f"M{upper.x:g} {start:g}C{upper.x:g} {middle:g} {lower.x:g} {middle:g} {lower.x:g} {end:g}"
