"""What is known of an expression before it runs."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


class Unsuitable(Exception):
    """The function is written in a way that cannot be followed; it is shown by numbers instead."""


class Unknown(Exception):
    """The value is only known when the code runs."""


COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
SCALARS = (bool, int, float, str, type(None))


def is_plain(value: Any) -> bool:
    """Whether a value is a constant, or a tuple or dict of such."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_plain(item) for key, item in value.items())
    return isinstance(value, SCALARS)


@dataclass
class Scope:
    """Where an expression stands.

    switch: what the parameter `wrong` is called there, None where there is none; chosen: the mistakes that are made;
    outside: the module's globals; local: all names that the function binds; values: names whose values are known;
    displays: names of dicts that were written out with constant keys; lists: names of lists that were written out just
    before.
    """

    switch: str | None
    chosen: frozenset[str]
    outside: Mapping[str, Any]
    local: frozenset[str]
    values: dict[str, Any] = field(default_factory=dict)
    displays: dict[str, ast.Dict] = field(default_factory=dict)
    lists: dict[str, ast.List] = field(default_factory=dict)

    def copy(self) -> Scope:
        return Scope(
            self.switch, self.chosen, self.outside, self.local, dict(self.values), dict(self.displays), dict(self.lists)
        )

    def forget(self, names: set[str]) -> None:
        """These names are bound to something else now."""
        for name in names:
            self.values.pop(name, None)
            self.displays.pop(name, None)
            self.lists.pop(name, None)

    def value(self, node: ast.expr) -> Any:
        """The value of an expression. Raises Unknown."""
        handler = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is None:
            raise Unknown
        return handler(node)

    def truth(self, node: ast.expr) -> bool | None:
        """Whether a condition holds, None if that is not known."""
        if isinstance(node, ast.Name) and node.id in self.lists:
            return bool(self.lists[node.id].elts)
        try:
            return bool(self.value(node))
        except Unknown:
            return None

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        if node.id in self.values:
            return self.values[node.id]
        if node.id in self.local or node.id not in self.outside or not is_plain(self.outside[node.id]):
            raise Unknown
        return self.outside[node.id]

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return not value
        if isinstance(node.op, ast.USub) and isinstance(value, int | float):
            return -value
        raise Unknown

    def _boolop(self, node: ast.BoolOp) -> Any:
        stops = isinstance(node.op, ast.Or)
        unknown = False
        for part in node.values:
            truth = self.truth(part)
            if truth is stops:  # what comes after it is not looked at, as in Python
                return stops
            unknown = unknown or truth is None
        if unknown:
            raise Unknown
        return not stops

    def _compare(self, node: ast.Compare) -> Any:
        if len(node.ops) != 1 or type(node.ops[0]) not in COMPARISONS:
            raise Unknown
        return COMPARISONS[type(node.ops[0])](self.value(node.left), self.value(node.comparators[0]))

    def _ifexp(self, node: ast.IfExp) -> Any:
        return self.value(node.body if self.value(node.test) else node.orelse)

    def _binop(self, node: ast.BinOp) -> Any:
        a, b = self.value(node.left), self.value(node.right)
        if type(node.op) not in ARITHMETIC or not all(isinstance(side, int | float | str | tuple) for side in (a, b)):
            raise Unknown
        try:
            return ARITHMETIC[type(node.op)](a, b)
        except TypeError:
            raise Unknown from None

    def _tuple(self, node: ast.Tuple) -> Any:
        return tuple(self.value(part) for part in node.elts)

    def _dict(self, node: ast.Dict) -> Any:
        if None in node.keys:
            raise Unknown
        return {self.value(k): self.value(v) for k, v in zip(node.keys, node.values, strict=True) if k is not None}

    def _subscript(self, node: ast.Subscript) -> Any:
        held, key = self.value(node.value), self.value(node.slice)
        try:
            return held[key]
        except (TypeError, KeyError, IndexError):
            raise Unknown from None

    def _joinedstr(self, node: ast.JoinedStr) -> str:
        parts = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                if part.conversion != -1 or part.format_spec is not None:
                    raise Unknown
                part = part.value
            parts.append(str(self.value(part)))
        return "".join(parts)

    def _call(self, node: ast.Call) -> Any:
        match node:
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name == self.switch:
                said = self.value(argument)
                if not isinstance(said, str):
                    raise Unsuitable("a switch that is no name")
                return said in self.chosen
            case ast.Call(
                func=ast.Name(id="any" | "all" as name),
                args=[ast.Call(func=ast.Name(id="map"), args=[ast.Name(id=mapped), names])],
            ) if mapped == self.switch:
                return (any if name == "any" else all)(each in self.chosen for each in self.value(names))
            case ast.Call(func=ast.Name(id="int"), args=[argument], keywords=[]):
                value = self.value(argument)
                if isinstance(value, bool | int):
                    return int(value)
            case ast.Call(func=ast.Attribute(value=held, attr="get"), args=[key, *default], keywords=[]):
                found = self.value(held)
                if isinstance(found, dict):
                    return found.get(self.value(key), self.value(default[0]) if default else None)
        raise Unknown
