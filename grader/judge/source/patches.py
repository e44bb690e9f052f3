"""Statements that change something outside: torch, another module, an object that may be either.

`torch.exp = torch.softmax` in one function makes every `torch.exp` a softmax; such a statement concerns every exercise
that runs beside it.
"""

from __future__ import annotations

import ast

from grader.judge.source.meanings import BuiltIn, Foreign
from grader.judge.source.ownership import Ownership
from grader.judge.source.reach import Paths
from grader.judge.source.scopes import FromElsewhere, FunctionNode, Kind, Scope, Unit
from grader.judge.source.strings import strings

_DATA = frozenset({"grad", "requires_grad", "data", "names", "training"})
"""Attributes of tensors and layers whose assignment replaces no function."""

_NAMESPACES = frozenset({"__dict__", "modules", "__builtins__"})
_NAMESPACE_CALLS = frozenset({"globals", "vars", "locals"})
_WRITERS = frozenset({"__setitem__", "setdefault", "update"})
_ALMIGHTY = frozenset({"__import__", "eval", "exec", "setattr"})
_IMPORTERS = frozenset({"importlib", "imp", "pkgutil", "runpy"})
_ATTRIBUTE_WRITERS = frozenset({"__setattr__", "__delattr__"})


class Patches:
    """Answers over a whole submission."""

    def __init__(self, paths: Paths, ownership: Ownership) -> None:
        self.resolver = paths.resolver
        self.ownership = ownership
        self._found: dict[str, tuple[Unit, ...]] = {}

    def of(self, slug: str) -> tuple[Unit, ...]:
        """The patching statements of a module."""
        if slug not in self._found:
            self._found[slug] = tuple(filter(self._is_patch, self.resolver.modules[slug].units))
        return self._found[slug]

    def _is_patch(self, unit: Unit) -> bool:
        return (
            any(self._by_assignment(target, scope) for target, scope in unit.stores)
            or any(self._by_call(call, scope) for call, scope in unit.calls)
            or any(self._as_value(unit, name, scope) for name, scope in unit.names)
        )

    def _by_assignment(self, target: ast.Attribute | ast.Subscript, scope: Scope) -> bool:
        if isinstance(target, ast.Subscript):
            return self._is_namespace(target.value, scope)
        return target.attr not in _DATA and self._is_outside(target.value, scope)

    def _by_call(self, call: ast.Call, scope: Scope) -> bool:
        if isinstance(call.func, ast.Attribute):
            if call.func.attr in _ATTRIBUTE_WRITERS:
                changed = call.args[0] if len(call.args) > 2 else call.func.value
                return self._is_outside(changed, scope)
            return call.func.attr in _WRITERS and self._is_namespace(call.func.value, scope)
        if BuiltIn("setattr") not in self.resolver.meanings(call.func, scope) or not call.args:
            return False
        names = strings(self.resolver, call.args[1], scope) if len(call.args) > 1 else None
        return self._is_outside(call.args[0], scope) and not (names and names <= _DATA)

    def _as_value(self, unit: Unit, name: ast.Name, scope: Scope) -> bool:
        """Whether something that can change anything is used: `exec`, `importlib`, `setattr` as a value."""
        _, outer, built_in = self.resolver.name_bindings(name, scope)
        if any(isinstance(b.origin, FromElsewhere) and b.origin.path[0] in _IMPORTERS for b in outer):
            return True
        bare = name.id != "setattr" or id(name) not in unit.callees
        return bare and built_in and name.id in _ALMIGHTY

    def _is_namespace(self, node: ast.expr, scope: Scope) -> bool:
        """Whether this is the dictionary behind a module or a class."""
        if isinstance(node, ast.Attribute):
            return node.attr in _NAMESPACES and self._is_outside(node.value, scope)
        if isinstance(node, ast.Call):
            meanings = self.resolver.meanings(node.func, scope)
            return any(isinstance(m, BuiltIn) and m.name in _NAMESPACE_CALLS for m in meanings)
        return False

    def _is_outside(self, node: ast.expr, scope: Scope) -> bool:
        if self._is_context(node, scope):
            return False
        for meaning in self.resolver.meanings(node, scope):
            if isinstance(meaning, Foreign):
                if meaning.path[:2] != ("torch", "backends"):
                    return True
            elif isinstance(meaning, BuiltIn) or not self.ownership.is_own(meaning):
                return True
        return False

    def _is_context(self, node: ast.expr, scope: Scope) -> bool:
        """Whether this is the `ctx` of a `torch.autograd.Function`."""
        if not isinstance(node, ast.Name) or node.id not in scope.names or scope.parent is None:
            return False
        bindings = scope.names[node.id]
        owner = scope.parent.owner
        if not isinstance(owner, ast.ClassDef) or any(each.kind is not Kind.RECEIVER for each in bindings):
            return False
        outer = scope.parent.parent or scope.parent
        bases = (meaning for base in owner.bases for meaning in self.resolver.meanings(base, outer))
        is_function = any(isinstance(meaning, Foreign) and meaning.path[-1] == "Function" for meaning in bases)
        return is_function and all(
            isinstance(each.node, FunctionNode) and each.node.name in ("forward", "setup_context", "backward")
            for each in bindings
        )
