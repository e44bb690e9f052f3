"""Names that code computes: which strings can an expression be?"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from grader.judge.source.bindings import Resolver
from grader.judge.source.scopes import Binding, FromStudent, Kind, Scope

_STEPS = 120  # expressions looked at to answer one question
_AT_MOST = 64  # strings that one expression may be

Strings = frozenset[str] | None
"""Every string that an expression may be; None if that cannot be told."""


def strings(resolver: Resolver, node: ast.AST, scope: Scope) -> Strings:
    """The strings that an expression may be: constants, joined constants, names and loops over them."""
    return _Search(resolver).expression(node, scope)


class _Search:
    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.steps = _STEPS
        self.followed: set[tuple[int, str]] = set()

    def expression(self, node: ast.AST, scope: Scope) -> Strings:
        self.steps -= 1
        if self.steps < 0:
            return None
        if isinstance(node, ast.Constant):
            return frozenset({node.value}) if isinstance(node.value, str) else None
        if isinstance(node, ast.IfExp):
            return _any(self.expression(side, scope) for side in (node.body, node.orelse))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return _joined(self.expression(side, scope) for side in (node.left, node.right))
        if isinstance(node, ast.JoinedStr):
            return _joined(self.expression(part, scope) for part in node.values)
        if isinstance(node, ast.FormattedValue) and node.conversion == -1 and node.format_spec is None:
            return self.expression(node.value, scope)
        if isinstance(node, ast.Name):
            local, outer, built_in = self.resolver.name_bindings(node, scope)
            return None if built_in else self._bindings(local + outer, (id(scope), node.id))
        return None

    def _bindings(self, bindings: list[Binding], key: tuple[int, str]) -> Strings:
        if not bindings or key in self.followed:  # a name that is made from itself grows
            return None
        self.followed.add(key)
        try:
            return _any(self._binding(binding) for binding in bindings)
        finally:
            self.followed.discard(key)

    def _binding(self, binding: Binding) -> Strings:
        node, origin = binding.node, binding.origin
        if isinstance(origin, FromStudent) and origin.slug and origin.name:
            bindings = self.resolver.module_bindings(origin.slug, origin.name)
            return self._bindings(bindings, (0, f"{origin.slug}.{origin.name}"))
        if binding.kind is Kind.VALUE and node is not None:
            return self.expression(node, binding.scope)
        if binding.kind is Kind.LOOP and isinstance(node, ast.Tuple | ast.List | ast.Set):
            return _any(self.expression(element, binding.scope) for element in node.elts)
        return None


def _any(each: Iterable[Strings]) -> Strings:
    found: frozenset[str] = frozenset()
    for one in each:
        if one is None or len(found) > _AT_MOST:
            return None
        found |= one
    return found


def _joined(parts: Iterable[Strings]) -> Strings:
    found = frozenset({""})
    for part in parts:
        if part is None or len(found) * len(part) > _AT_MOST:
            return None
        found = frozenset(head + tail for head in found for tail in part)
    return found
