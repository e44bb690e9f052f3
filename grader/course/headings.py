"""Headings of a Markdown page and the anchors that GitHub gives them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MARKED = re.compile(r"^ {0,3}(?:#|```|~~~).*$", re.MULTILINE)
"""Lines that may be a heading or a fence: a few of a long page, so that the rest need not be looked at."""
_FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})(?P<info>.*)$")
_HEADING = re.compile(r"^ {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<text>.*?))?(?:[ \t]+#+)?[ \t]*$")
_LINK = re.compile(r"!?\[(?P<text>[^\]]*)\]\([^)]*\)")
_DROPPED = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class Heading:
    """One `#` heading: its level 1 to 6, its text as written, its line (1 is the first) and its anchor."""

    level: int
    text: str
    line: int
    anchor: str


def headings(page: str) -> tuple[Heading, ...]:
    """Every `#` heading of a page outside code fences, in order; a repeated anchor gets `-1`, `-2` ..."""
    found: list[Heading] = []
    taken: set[str] = set()
    for line, text in _lines_outside_fences(page):
        if match := _HEADING.match(text):
            words = (match["text"] or "").strip()
            anchor = base = slug(words)
            repeat = 0
            while anchor in taken:
                repeat += 1
                anchor = f"{base}-{repeat}"
            taken.add(anchor)
            found.append(Heading(len(match["marks"]), words, line, anchor))
    return tuple(found)


def slug(heading: str) -> str:
    """GitHub's anchor of one heading: lower case, punctuation dropped, each space a hyphen."""
    words = _LINK.sub(r"\g<text>", heading).strip().lower()
    return _DROPPED.sub("", words).replace(" ", "-")


def _lines_outside_fences(page: str) -> Iterator[tuple[int, str]]:
    """The lines that may be headings, with their numbers."""
    fence, number, counted = "", 1, 0
    for candidate in _MARKED.finditer(page):
        number += page.count("\n", counted, candidate.start())
        counted = candidate.start()
        line = candidate[0].rstrip("\r")
        match = _FENCE.match(line)
        if fence:
            # CommonMark 4.5: closed by the same character, at least as long, with nothing after it.
            if match and match["fence"].startswith(fence) and not match["info"].strip():
                fence = ""
        elif match and not (match["fence"].startswith("`") and "`" in match["info"]):
            fence = match["fence"]
        else:
            yield number, line
