"""The source of a function as a tree, and small questions about trees."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import FunctionType
from typing import Any, TypeVar

from grader.review.born.code.known import Unsuitable

MADE = "made "
"""Stands before the name of a helper that has been made until all is written down: its calls are not followed again."""
BUILT_IN = frozenset(dir(builtins))
Node = TypeVar("Node", bound=ast.AST)
IMPURE = ("pop", "append", "update", "setdefault", "clear", "extend", "insert", "manual_seed")
"""Methods beside those that end in an underscore that change what they are called on."""


def source_of(function: Callable[..., Any]) -> ast.FunctionDef:
    """A function without its decorators, annotations and docstring: a fresh tree each time. Raises Unsuitable."""
    node = ast.parse(_bare_text(function)).body[0]  # ten times as fast as a deep copy of the tree
    assert isinstance(node, ast.FunctionDef)
    return node


@cache
def head_of(function: Callable[..., Any]) -> ast.FunctionDef:
    """The same for looking at, not to be changed. Raises Unsuitable."""
    return source_of(function)


@cache
def _bare_text(function: Callable[..., Any]) -> str:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        raise Unsuitable("no source") from None
    node = tree.body[0]
    if not isinstance(node, ast.FunctionDef):
        raise Unsuitable("no plain function")
    for each in ast.walk(node):
        if isinstance(each, ast.FunctionDef):
            each.decorator_list, each.returns = [], None
            if ast.get_docstring(each) is not None:
                each.body = each.body[1:] or [ast.Pass()]
        if isinstance(each, ast.arg):
            each.annotation = None
    return ast.unparse(node)


def is_helper(found: Any) -> bool:
    """Whether a global is a function of the catalogue, whose source may be followed."""
    return isinstance(found, FunctionType) and found.__module__.startswith("grader.misconceptions.")


def parameters(function: ast.FunctionDef) -> list[str]:
    """The names of its parameters. Raises Unsuitable for starred ones."""
    arguments = function.args
    if arguments.vararg or arguments.kwarg:
        raise Unsuitable("starred parameters")
    return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def defaults(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The default expressions by parameter."""
    arguments = function.args
    positional = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    found = dict(zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True))
    keyword = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return found | {each.arg: default for each, default in keyword if default is not None}


def loads(nodes: ast.AST | Iterable[ast.AST]) -> list[str]:
    """Every name that is read, as often as it is."""
    return [n.id for n in _walk(nodes) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]


def stores(nodes: ast.AST | Iterable[ast.AST]) -> list[str]:
    """Every name that is bound: by assignments, loops, nested functions and their parameters."""
    found = []
    for node in _walk(nodes):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.append(node.id)
        elif isinstance(node, ast.FunctionDef):
            found.append(node.name)
        elif isinstance(node, ast.arg):
            found.append(node.arg)
    return found


def is_pure(node: ast.AST) -> bool:
    """Whether evaluating an expression changes nothing: no method that works in place, no function from outside."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name):
            name = each.func.id
            if name not in BUILT_IN and not name.startswith(MADE):
                return False
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            name = each.func.attr
            if name in IMPURE or (name.endswith("_") and not name.endswith("__")):
                return False
    return True


def _walk(nodes: ast.AST | Iterable[ast.AST]) -> Iterable[ast.AST]:
    for node in [nodes] if isinstance(nodes, ast.AST) else nodes:
        yield from ast.walk(node)


def _copy(node: Node) -> Node:
    """A copy of a tree; positions, which nobody reads, are left out."""
    made = {name: _copied(value) for name, value in ast.iter_fields(node)}
    return type(node)(**made)


def _copied(value: Any) -> Any:
    if isinstance(value, ast.AST):
        return _copy(value)
    return [_copied(each) for each in value] if isinstance(value, list) else value


class _Put(ast.NodeTransformer):
    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        found = self.given.get(node.id)
        if found is None:
            return node
        if isinstance(node.ctx, ast.Load):
            return _copy(found)
        return ast.Name(found.id, node.ctx) if isinstance(found, ast.Name) else node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        own = {each.arg for each in node.args.args}
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        node.body = _Put({name: value for name, value in self.given.items() if name not in own}).visit(node.body)
        return node


def put(node: Node, given: Mapping[str, ast.expr]) -> Node:
    """A copy in which names are replaced; a bound name only by another name."""
    replaced: Node = _Put(given).visit(_copy(node))
    return replaced
