"""What a page can be led to, and where it leads."""

from __future__ import annotations

from dataclasses import dataclass
from html.parser import HTMLParser


@dataclass(frozen=True, slots=True)
class Anchors:
    """The ids of a page, and the addresses of its links."""

    ids: tuple[str, ...]
    links: tuple[str, ...]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if name := found.get("id"):
            self.ids.append(name)
        if tag == "a" and (address := found.get("href")):
            self.links.append(address)


def anchors(text: str) -> Anchors:
    """The anchors of a page's text."""
    reader = _Reader()
    reader.feed(text)
    return Anchors(tuple(reader.ids), tuple(reader.links))
