"""A typed reader over YAML nodes that goes on after a mistake, so that an author sees all of them at once.

A value that is missing or of the wrong kind is reported and read as a harmless placeholder (`""`, `0`, `()`); nothing
built from a file with a mistake is ever used, because `load_course` raises them all in the end.
"""

import difflib
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from grader.course import yaml12
from grader.course.mistakes import Mistake

_KINDS = {
    yaml12.NULL: "nothing",
    yaml12.BOOL: "true or false",
    yaml12.INT: "a whole number",
    yaml12.FLOAT: "a number",
    yaml12.STR: "a text",
    yaml12.SEQ: "a list",
    yaml12.MAP: "a table of keys",
}


@dataclass(frozen=True, slots=True)
class Text:
    """A text and the line it was read from (0 when it was missing)."""

    value: str
    line: int


@dataclass(frozen=True)
class Table:
    """A mapping whose keys are known in advance; `what` names it in messages ("the exercise", "`minutes`").

    One that is not `readable` (missing, or no mapping) has been reported as a whole: its keys are not missed again.
    """

    path: Path
    what: str
    line: int
    mistakes: list[Mistake]
    readable: bool = True
    nodes: dict[str, Node] = field(default_factory=dict)

    def complain(self, line: int, says: str) -> None:
        self.mistakes.append(Mistake(self.path, line, says))

    def line_of(self, key: str) -> int:
        """The line of a key's value, or of the table when the key is missing."""
        return yaml12.line_of(self.nodes[key]) if key in self.nodes else self.line

    def text(self, key: str) -> str:
        """A text that is not blank."""
        node = self._required(key, "a text")
        return self._text(node, f"`{key}`").value if node else ""

    def texts(self, key: str, *, required: bool = True) -> tuple[Text, ...]:
        """A list of texts, which may be empty; a missing key that is not required is an empty list."""
        return tuple(self._text(item, f"an entry of `{key}`") for item in self._items(key, "texts", required))

    def whole(self, key: str, default: int | None = None) -> int:
        """A whole number above 0."""
        value = self._number(key, "a whole number above 0", (yaml12.INT,), default)
        return int(value)

    def number(self, key: str, default: float | None = None) -> float:
        """A number above 0."""
        return self._number(key, "a number above 0", (yaml12.INT, yaml12.FLOAT), default)

    def table(self, key: str, known: Collection[str], *, required: bool = True) -> "Table":
        """A table under a key; empty when it is missing."""
        node = self._required(key, "a table") if required else self.nodes.get(key)
        if node is None:
            return Table(self.path, f"`{key}`", self.line, self.mistakes, readable=False)
        return read_table(node, self.path, f"`{key}`", known, self.mistakes)

    def tables(self, key: str, what: str, known: Collection[str]) -> tuple["Table", ...]:
        """A list of tables that is not empty."""
        items = self._items(key, "tables", required=True)
        if not items and isinstance(self.nodes.get(key), SequenceNode):
            self.complain(self.line_of(key), f"`{key}` is empty; write at least one entry")
        return tuple(read_table(item, self.path, what, known, self.mistakes) for item in items)

    def _required(self, key: str, kind: str) -> Node | None:
        node = self.nodes.get(key)
        if node is None and self.readable:
            self.complain(self.line, f"{self.what} has no `{key}`; write `{key}:` and {kind}")
        return node

    def _items(self, key: str, kind: str, required: bool) -> list[Node]:
        node = self._required(key, f"a list of {kind}") if required else self.nodes.get(key)
        if node is None:
            return []
        if not isinstance(node, SequenceNode):
            advice = f"write a list of {kind}, [] if there is none"
            self.complain(yaml12.line_of(node), f"`{key}` is {kind_of(node)}; {advice}")
            return []
        return list(node.value)

    def _text(self, node: Node, name: str) -> Text:
        line = yaml12.line_of(node)
        if not isinstance(node, ScalarNode) or node.tag != yaml12.STR:
            advice = 'write a text, in "quotes" if it looks like something else'
            self.complain(line, f"{name} is {kind_of(node)}; {advice}")
        elif not node.value.strip():
            self.complain(line, f"{name} is blank; write a text")
        else:
            return Text(node.value.strip(), line)
        return Text("", line)

    def _number(self, key: str, kind: str, tags: tuple[str, ...], default: float | None) -> float:
        node = self._required(key, kind) if default is None else self.nodes.get(key)
        if node is None:
            return default or 0
        value: Any = yaml12.plain(node) if isinstance(node, ScalarNode) and node.tag in tags else None
        if value is None:
            self.complain(yaml12.line_of(node), f"`{key}` is {kind_of(node)}; write {kind}")
        elif not 0 < value < float("inf"):
            self.complain(yaml12.line_of(node), f"`{key}` is {value}; write {kind}")
        else:
            number: float = value
            return number
        return default or 0


def read_table(node: Node, path: Path, what: str, known: Collection[str], mistakes: list[Mistake]) -> Table:
    """A mapping node as a Table; a node of another kind and every unknown key are mistakes."""
    table = Table(path, what, yaml12.line_of(node), mistakes, readable=isinstance(node, MappingNode))
    if not isinstance(node, MappingNode):
        table.complain(table.line, f"{what} is {kind_of(node)}; write a table with the keys {', '.join(known)}")
        return table
    for key, value in node.value:
        name = key.value if isinstance(key, ScalarNode) else ""
        if name in known:
            table.nodes.setdefault(name, value)
        elif name:
            table.complain(yaml12.line_of(key), f"{what} has no key `{name}`; {nearest(name, known)}")
    return table


def nearest(name: str, known: Collection[str]) -> str:
    """What to write instead of an unknown name: the nearest known one, or all of them."""
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"did you mean `{close[0]}`?"
    return f"known are: {', '.join(known)}" if known else "there are none"


def kind_of(node: Node) -> str:
    """What a node is, for a message: `a list`, `a whole number (3)`."""
    if isinstance(node, ScalarNode) and node.tag not in (yaml12.NULL, yaml12.STR):
        return f"{_KINDS.get(node.tag, 'a value')} ({node.value})"
    return _KINDS.get(node.tag, "a value")
