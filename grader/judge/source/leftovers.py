"""What one function of the learner's leaves where another looks: registries, caches, attributes of functions.

A variable that is reached leads to the statements that write to it, and to whoever calls these: `REGISTRY["f"](x)` runs
the code of `@register def f(x)` although it does not mention it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.judge.source.bindings import Resolver
from grader.judge.source.meanings import BuiltIn, Foreign
from grader.judge.source.reach import Paths, Walk
from grader.judge.source.scopes import Binding, FromStudent, FunctionNode, Kind, Scope, Unit, has_decorator

_FILLERS = frozenset({"append", "appendleft", "extend", "insert", "setdefault", "update", "__setitem__"})
"""Methods that put something into a container, and that tensors do not have."""

_KEEPERS = frozenset(
    {"add", "put", "register", "send", "set", "add_module", "register_module", "register_buffer", "register_parameter"}
)
_READERS = frozenset({"copy", "count", "get", "index", "items", "keys", "values"})
_CONTAINERS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp)
_VALUE_LIBRARIES = frozenset(
    {"abc", "dataclasses", "decimal", "einops", "enum", "fractions", "functools", "logging", "math", "numpy", "re"}
    | {"torch", "typing", "collections.namedtuple"}
)
"""Libraries whose results are values rather than places where something is kept."""

_VALUE_CALLS = frozenset({"abs", "bool", "float", "frozenset", "int", "len", "max", "min", "range", "str", "sum"})
_CACHES = frozenset({"cache", "lru_cache", "cached"})


class Leftovers:
    """Answers over a whole submission; worked out at the first question."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self.resolver = paths.resolver
        self._found = False
        self._writers: dict[int, list[Unit]] = {}
        self._callers: dict[int, list[Unit]] = {}

    def extend(self, walk: Walk, loaded: frozenset[str]) -> None:
        """Add to a walk all that may leave something for the statements it has reached, in these modules."""
        if not self._found:
            self._find()
        done: set[int] = set()
        passing: set[int] = set()
        while fresh := [step for key, step in walk.steps.items() if key not in done]:
            for step in fresh:
                done.add(id(step.unit))
                for target in self.paths.edges(step.unit).opened:  # `embed.f(x)` does more than call an exercise
                    for unit in self.units(*target):
                        walk.add(unit, step)
                waiting = list(self._writers.get(id(step.unit), ()))
                while waiting:
                    unit = waiting.pop()
                    if id(unit) not in passing and unit.slug in loaded:  # who calls a writer may hand it what it writes
                        passing.add(id(unit))
                        walk.add(unit, step)
                        waiting += self._callers.get(id(unit), ())

    def _find(self) -> None:
        for unit in (unit for module in self.resolver.modules.values() for unit in module.units):
            for target in self.paths.edges(unit).targets:
                for other in self.units(*target):
                    self._callers.setdefault(id(other), []).append(unit)
            written = {id(each): each for each in self._written(unit)}
            if self._keeps(unit):
                written[id(unit)] = unit
            for key in written:
                self._writers.setdefault(key, []).append(unit)
        self._found = True

    def units(self, slug: str, name: str) -> Iterator[Unit]:
        """The statements that bind a name of a module, followed through imports."""
        waiting, seen = [(slug, name)], {(slug, name)}
        while waiting:
            for binding in self.resolver.module_bindings(*waiting.pop()):
                origin = binding.origin
                if isinstance(origin, FromStudent) and origin.slug and origin.name:
                    if (origin.slug, origin.name) not in seen:
                        seen.add((origin.slug, origin.name))
                        waiting.append((origin.slug, origin.name))
                elif binding.kind is not Kind.IMPORT:
                    yield binding.unit

    def _written(self, unit: Unit) -> Iterator[Unit]:
        """The statements whose variable, class or function this statement writes to."""
        for target, scope in unit.stores:
            yield from self._behind(target.value, scope, through_calls=True)
        for call, scope in unit.calls:
            if isinstance(call.func, ast.Attribute):
                method = call.func.attr
                if method in _FILLERS:
                    yield from self._behind(call.func.value, scope, through_calls=True)
                elif method not in _READERS and (call.args or call.keywords):
                    kept = self._behind(call.func.value, scope)
                    yield from (each for each in kept if method in _KEEPERS or _is_kept(self.resolver, each))
        for name, scope in unit.names:
            if id(name) not in unit.bases and id(name) not in unit.inherited:
                yield from (each for each in self._behind(name, scope) if _is_kept(self.resolver, each))
        for attribute, scope in unit.attributes:
            yield from (each for each in self._behind(attribute.value, scope) if isinstance(each.node, FunctionNode))

    def _behind(self, node: ast.expr, scope: Scope, through_calls: bool = False) -> Iterator[Unit]:
        """The statements that bind the module-level name at the root of an expression like `name.a[0].b`."""
        while isinstance(node, ast.Attribute | ast.Subscript) or (through_calls and isinstance(node, ast.Call)):
            node = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Name):
            _, outer, _ = self.resolver.name_bindings(node, scope)
            if outer:
                yield from self.units(scope.slug, node.id)

    def _keeps(self, unit: Unit) -> bool:
        """Whether a function or a class keeps something between its calls: in a default, a cache, the class itself."""
        node = unit.node
        if isinstance(node, FunctionNode):
            defaults = [*node.args.defaults, *(each for each in node.args.kw_defaults if each)]
            scope = self.resolver.modules[unit.slug].scope
            if any(_is_container(self.resolver, each, scope) for each in defaults):
                return True
            return self._is_cached(node, scope) and any(isinstance(inner, _CONTAINERS) for inner in ast.walk(node))
        if isinstance(node, ast.ClassDef):
            inner = self.resolver.modules[unit.slug].class_scopes[id(node)]
            bindings = [each for name in inner.names.values() for each in name]
            methods = [each.node for each in bindings if isinstance(each.node, FunctionNode)]
            return any(_holds(self.resolver, each) for each in bindings) or any(
                has_decorator(each, "classmethod") or each.name == "__init_subclass__" for each in methods
            )
        return False

    def _is_cached(self, node: FunctionNode, scope: Scope) -> bool:
        made_by = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
        meanings = (meaning for each in made_by for meaning in self.resolver.meanings(each, scope))
        return any(isinstance(meaning, Foreign) and meaning.path[-1] in _CACHES for meaning in meanings)


def _is_kept(resolver: Resolver, unit: Unit) -> bool:
    """Whether a statement binds a variable that others can put something into."""
    if isinstance(unit.node, FunctionNode | ast.ClassDef):
        return False
    return any(_holds(resolver, binding) for binding in unit.bound)


def _holds(resolver: Resolver, binding: Binding) -> bool:
    if binding.kind is Kind.VALUE and isinstance(binding.node, ast.expr):
        return _is_container(resolver, binding.node, binding.scope)
    return binding.kind is Kind.OPAQUE


def _is_container(resolver: Resolver, node: ast.expr, scope: Scope) -> bool:
    if isinstance(node, ast.Call):
        for meaning in resolver.meanings(node.func, scope):
            if isinstance(meaning, BuiltIn) and meaning.name in _VALUE_CALLS:
                continue
            if not (isinstance(meaning, Foreign) and _VALUE_LIBRARIES & {meaning.path[0], ".".join(meaning.path)}):
                return True
        return False
    parts = ast.walk(node) if isinstance(node, ast.Tuple | ast.IfExp | ast.BoolOp) else (node,)
    return any(isinstance(part, _CONTAINERS) for part in parts)
