"""The texts of a report taken apart for a page: sentences and quoted code, and the evidence side by side."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

PRINTED_LINES = 40
PRINTED_CHARACTERS = 4000
"""Of what a submission printed, the end: the rest says the same again."""

_YOURS = re.compile(r"yours( \(.*?\))?: ?")
_EXPECTED = re.compile(r"expected( \(.*?\))?: ?")
_FIRST = "first difference at "


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, or lines of code that keep their spaces."""

    kind: Literal["sentence", "code"]
    text: str


def blocks(text: str) -> list[Block]:
    """A message: its lines are paragraphs, and lines that begin with a space are quoted code."""
    found: list[Block] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        kind: Literal["sentence", "code"] = "code" if line.startswith(" ") else "sentence"
        if kind == "code" and found and found[-1].kind == "code":
            found[-1] = Block("code", f"{found[-1].text}\n{line}")
        else:
            found.append(Block(kind, line))
    return found


@dataclass(frozen=True, slots=True)
class Side:
    """One labelled part of the evidence. label: `Input`, `Yours (part 2)`, `Expected`."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Sides:
    """The evidence of a mistake. given: the input; yours and expected: None where both read the same and say nothing,
    or where the text has another form, and then `given` is all of it; rest: what follows."""

    given: Side
    yours: Side | None = None
    expected: Side | None = None
    rest: str = ""


def sides(evidence: str) -> Sides:
    """Take apart what the judge writes: `with`, then `yours: `, then `expected: `, each with lines of its own."""
    lines = evidence.split("\n")
    yours = _first(lines, _YOURS, 0)
    expected = _first(lines, _EXPECTED, yours + 1) if yours is not None else None
    if yours is None or expected is None:
        if len(lines) > 1 and lines[0].startswith("with") and lines[-1].startswith(_FIRST):
            return Sides(_given(lines[:-1]), rest=lines[-1])
        return Sides(Side("Shown by", evidence))
    end = expected + 1
    while end < len(lines) and (lines[end].startswith(" ") or not lines[end]):
        end += 1
    mine = _side("Yours", _YOURS, lines[yours:expected])
    wanted = _side("Expected", _EXPECTED, lines[expected:end])
    given, rest = _given(lines[:yours]), "\n".join(lines[end:])
    if mine.text == wanted.text and rest.startswith(_FIRST):
        return Sides(given, rest=rest)
    return Sides(given, mine, wanted, rest)


def _given(lines: list[str]) -> Side:
    head, *rest = lines or [""]
    way = head.removeprefix("with").strip().removeprefix("(").removesuffix(")")
    return Side(f"Input ({way[:1].lower()}{way[1:]})" if way else "Input", "\n".join(_outdented(rest)))


def _first(lines: list[str], label: re.Pattern[str], start: int) -> int | None:
    return next((place for place in range(start, len(lines)) if label.match(lines[place])), None)


def _side(name: str, label: re.Pattern[str], lines: list[str]) -> Side:
    found = label.match(lines[0])
    width, which = (found.end(), found[1] or "") if found else (0, "")
    # Further lines of a value stand below its first one, as far in as the label is wide.
    rest = [line[width:] if not line[:width].strip() else line for line in lines[1:]]
    return Side(name + which, "\n".join([lines[0][width:], *rest]))


def _outdented(lines: list[str]) -> list[str]:
    return [line.removeprefix("  ") for line in lines]


def tail(printed: str) -> tuple[str, bool]:
    """The end of what was printed, and whether something came before it."""
    whole = printed.replace("\r\n", "\n").rstrip()
    kept = "\n".join(whole[-PRINTED_CHARACTERS:].split("\n")[-PRINTED_LINES:])
    return kept, kept != whole
