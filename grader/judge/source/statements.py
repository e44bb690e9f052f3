"""The statements at the top of a module: the grain in which code is reached."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from grader.judge.source.syntax import MAX_DEPTH, TooDeep

_COMPOUND = (
    *(ast.If, ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.For, ast.AsyncFor),
    *(ast.While, ast.Match, ast.ExceptHandler, ast.match_case),
)
_BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")


def top_statements(body: Iterable[ast.stmt], guarded: list[ast.stmt]) -> Iterator[tuple[ast.AST, int]]:
    """Each simple statement with its depth; of a compound one its head and the statements of all its branches.

    What stands under `if __name__ == "__main__":` is put into `guarded` instead.
    """
    waiting: list[tuple[ast.AST, int]] = [(node, 0) for node in body]
    waiting.reverse()
    while waiting:
        node, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise TooDeep(getattr(node, "lineno", 1))
        if isinstance(node, ast.If) and _is_main_guard(node):
            guarded += node.body
            waiting += [(inner, depth + 1) for inner in reversed(node.orelse)]
        elif isinstance(node, _COMPOUND):
            inside: list[ast.AST] = [each for name in _BLOCKS for each in getattr(node, name, ())]
            waiting += [(each, depth + 1) for each in reversed(inside)]
            yield _head(node), depth
        elif not _is_idle(node):
            yield node, depth


def _head(node: ast.AST) -> ast.AST:
    """A compound statement without its blocks."""
    fields = {name: [] if name in _BLOCKS else value for name, value in ast.iter_fields(node)}
    return ast.copy_location(type(node)(**fields), node)


def _is_main_guard(node: ast.If) -> bool:
    if not (isinstance(node.test, ast.Compare) and len(node.test.ops) == 1):
        return False
    sides = (node.test.left, node.test.comparators[0])
    names = [side.id for side in sides if isinstance(side, ast.Name)]
    values = [side.value for side in sides if isinstance(side, ast.Constant)]
    return isinstance(node.test.ops[0], ast.Eq) and names == ["__name__"] and values == ["__main__"]


def _is_idle(node: ast.AST) -> bool:
    """Whether a statement does nothing: a docstring, `...`, `pass`."""
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
