"""The form of a piece of code that stays when it is copied: names of its own renamed, docstrings and comments gone."""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grader.course.functions import parse

FEWEST_NODES = 6
"""Bodies of fewer parts than this are told by many functions."""
FEWEST_NODES_ALONE = 18
"""The same for a single statement."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Everything(Container[Any]):
    """Holds whatever is asked for."""

    def __contains__(self, item: object) -> bool:
        return True


_EVERYBODYS = frozenset([*dir(builtins), "math", "torch"])
"""Names that a copy keeps."""
EVERYTHING = Everything()
Outline = tuple[int, ...]
"""How many parts a body has, and the kinds of its statements: quickly taken, and equal where forms are."""


@dataclass(frozen=True, slots=True)
class Print:
    """name: of the function it was taken from; form: what is compared."""

    name: str
    outline: Outline
    form: str

    @property
    def size(self) -> int:
        """How many parts it has."""
        return self.outline[0]


def prints(tree: ast.AST, wanted: Container[Outline] = EVERYTHING) -> Iterator[Print]:
    """The form of every function in a tree, methods and nested ones too, and of every long statement in one.

    wanted: only of those with such an outline.
    """
    sizes: dict[ast.AST, int] = {}
    _measure(tree, sizes)
    for node in sizes:
        if not isinstance(node, _Function):
            continue
        body = _without_docstring(node.body)
        bodies = [body] if _counts(body, sizes) else []
        bodies += [[each] for each in _innermost(body) if sizes[each] >= FEWEST_NODES_ALONE]
        outlines = [_outline(each, sizes) for each in bodies]
        if not any(outline in wanted for outline in outlines):
            continue
        for part, outline in zip(bodies, outlines, strict=True):
            if outline in wanted:
                yield Print(node.name, outline, _form(part))


def prints_of_text(text: str, wanted: Container[Outline] = EVERYTHING) -> Iterator[Print]:
    """The same for a text that may be Python; nothing for one that is not."""
    try:
        tree = parse(textwrap.dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    yield from prints(tree, wanted)


def _counts(body: list[ast.stmt], sizes: Mapping[ast.AST, int]) -> bool:
    """Whether a whole body says enough to be told by."""
    only_raises = len(body) == 1 and isinstance(body[0], ast.Raise)
    return not only_raises and sum(sizes[each] for each in body) >= FEWEST_NODES


def _outline(body: list[ast.stmt], sizes: Mapping[ast.AST, int]) -> Outline:
    kinds = (ast.Assign if isinstance(each, ast.AnnAssign) else type(each) for each in body)
    return (sum(sizes[each] for each in body), *map(_KINDS.index, kinds))


def _measure(node: ast.AST, sizes: dict[ast.AST, int]) -> int:
    """How many parts a node has, itself included, annotations and docstrings excluded; `sizes` gets all those below."""
    size = 0 if isinstance(node, ast.expr_context) else 1
    for child in _parts(node):
        size += _measure(child, sizes)
    sizes[node] = size
    return size


def _parts(node: ast.AST) -> Iterable[ast.AST]:
    if isinstance(node, ast.arg):
        return ()
    if isinstance(node, ast.AnnAssign):
        return (node.target, node.value) if node.value is not None else (node.target,)
    if isinstance(node, _Function):
        return (node.args, *_without_docstring(node.body))
    return ast.iter_child_nodes(node)


def _innermost(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement that holds no others. Those of nested functions are theirs."""
    for statement in body:
        inner = [each for name in _BLOCKS for each in getattr(statement, name, ()) if isinstance(each, ast.stmt)]
        inner += [each for handler in getattr(statement, "handlers", ()) for each in handler.body]
        if isinstance(statement, _Function):
            continue
        yield from _innermost(inner) if inner else (statement,)


_BLOCKS = ("body", "orelse", "finalbody")
_KINDS = ast.stmt.__subclasses__()


def _form(body: list[ast.stmt]) -> str:
    writer = _Writer()
    for statement in body:
        writer.write(statement)
    return " ".join(writer.parts)


class _Writer:
    """Writes a tree down, with names numbered as they come and without annotations."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._numbers: dict[str, int] = {}

    def write(self, node: object) -> None:
        """A node, a list of them, or a plain value."""
        if isinstance(node, list):
            self.parts.append("[")
            for item in node:
                self.write(item)
            self.parts.append("]")
        elif not isinstance(node, ast.AST):
            self.parts.append(repr(node))
        elif isinstance(node, ast.Name):
            self._name(node.id)
        elif isinstance(node, ast.arg):
            self._name(node.arg)
        elif isinstance(node, ast.AnnAssign):
            self._all("Assign", [node.target], node.value, None)
        elif isinstance(node, _Function):
            self._name(node.name)
            self._all("def", node.args, _without_docstring(node.body))
        elif not isinstance(node, ast.expr_context):
            self._all(type(node).__name__, *(value for _, value in ast.iter_fields(node)))

    def _all(self, kind: str, *fields: object) -> None:
        self.parts.append(kind)
        for field in fields:
            self.write(field)

    def _name(self, name: str) -> None:
        known = name in _EVERYBODYS
        self.parts.append(name if known else f"v{self._numbers.setdefault(name, len(self._numbers))}")


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return body[1:] if told else body


def _only_raises(body: list[ast.stmt]) -> bool:
    return len(body) == 1 and isinstance(body[0], ast.Raise)
