"""A learner at a page, for tests: reads a fragment of the quiz and fills in its form."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

from grader.review.questions.model import Key
from grader.review.session import Turn

_VOID = ("input", "br", "hr", "wbr", "img")


@dataclass
class Fragment(HTMLParser):
    """What a fragment holds. Reading one checks that its tags match and that what it refers to is there."""

    html: str
    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[str] = []
        self.html = str(self.html)  # markup that is added to a text would be escaped
        self.feed(self.html)
        self.close()
        assert not self._open, self._open
        ids = [attrs["id"] for _, attrs in self.tags if "id" in attrs]
        assert len(ids) == len(set(ids)), ids
        referred = [
            attrs[name]
            for _, attrs in self.tags
            for name in ("for", "aria-describedby", "aria-labelledby")
            if name in attrs
        ]
        assert set(" ".join(referred).split()) <= set(ids), (referred, ids)
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, f"</{tag}> where {self._open} are open"

    def handle_data(self, data: str) -> None:
        self.text += data

    def find(self, tag: str, **wanted: str) -> list[dict[str, str]]:
        """The attributes of each tag of that name that has these."""
        return [attrs for name, attrs in self.tags if name == tag and wanted.items() <= attrs.items()]

    @property
    def hidden(self) -> dict[str, list[str]]:
        """The fields that are sent whatever is filled in."""
        return {attrs["name"]: [attrs["value"]] for attrs in self.find("input", type="hidden")}

    @property
    def heading(self) -> str:
        """The first heading."""
        return self.html.partition("</h3>")[0].rpartition(">")[2]

    def form(self, **filled: str | list[str]) -> dict[str, list[str]]:
        """What is sent when this is filled in: dashes in names are written as underscores."""
        given = {name.replace("_", "-"): value for name, value in filled.items()}
        return self.hidden | {name: value if isinstance(value, list) else [value] for name, value in given.items()}


def right(turn: Turn, key: Key) -> dict[str, str | list[str]]:
    """The right answer, as it is filled in; of an explanation when its ideas are ticked."""
    match turn.drawn.question.kind:
        case "explain":
            assert isinstance(key.value, tuple)
            return {"idea": [str(number) for number, _ in enumerate(key.value, start=1)]}
        case "choice" | "multi":
            assert isinstance(key.value, tuple)
            return {"answer": [str(id_) for id_ in key.value]}
        case "order":
            assert isinstance(key.value, tuple)
            return {f"place_{step}": str(place) for place, step in enumerate(key.value, start=1)}
        case "shape":
            assert isinstance(key.value, tuple)
            return {"answer": f"({', '.join(map(str, key.value))})"}
        case "short":
            assert isinstance(key.value, tuple)
            return {"answer": str(key.value[0])}
        case "numeric":
            return {"answer": f"{key.value:.6g}"}
    return {"answer": str(key.value)}


WRONG: dict[str, dict[str, str | list[str]]] = {
    "choice": {"answer": "square"},
    "multi": {"none": "1"},
    "numeric": {"answer": "5"},
    "shape": {"answer": "4, 6"},
    "short": {"answer": "thrice"},
    "code": {"answer": "[2]"},
    "order": {"place_1": "1", "place_2": "2", "place_3": "3"},
    "explain": {},
}
"""A wrong answer to each kind of question of the made quiz."""
