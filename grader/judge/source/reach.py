"""Which statements and which exercises a function reaches."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from grader.judge.source.bindings import Resolver
from grader.judge.source.meanings import UNKNOWN, BuiltIn, Exercise, Foreign, LessonModule, Meanings
from grader.judge.source.scopes import ANY_FIELD, Binding, FromStudent, Kind, Scope, Unit
from grader.judge.source.strings import strings

BY_NAME = frozenset({"attrgetter", "methodcaller"})
"""Functions of `operator` that make an attribute out of a string."""


@dataclass(frozen=True, slots=True)
class Access:
    """`.name` of something. `node` is where it stands; `base` is None where the object is not written beside it."""

    node: ast.expr | ast.pattern
    base: ast.expr | None
    scope: Scope
    name: str


@dataclass(frozen=True, slots=True)
class Step:
    """A statement that was reached, and the statement that leads to it (None at the start)."""

    unit: Unit
    source: Step | None


@dataclass(frozen=True, slots=True)
class _Edges:
    targets: tuple[Exercise, ...]  # names of lesson modules that a statement mentions
    escaped: frozenset[str]  # lesson modules that it hands on as values
    attributes: frozenset[str]  # attributes that it takes of things unknown
    opened: tuple[Exercise, ...]  # names of lesson modules of which it takes an attribute or an item


class Paths:
    """The graph of statements of a submission."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self._edges: dict[int, _Edges] = {}
        self._accesses: dict[int, tuple[Access, ...]] = {}

    def accesses(self, unit: Unit) -> tuple[Access, ...]:
        """Every attribute that a statement takes, be it by a constant name; once with each name it may be."""
        if id(unit) not in self._accesses:
            self._accesses[id(unit)] = tuple(self._find_accesses(unit))
        return self._accesses[id(unit)]

    def _find_accesses(self, unit: Unit) -> Iterator[Access]:
        for attribute, scope in unit.attributes:
            yield Access(attribute, attribute.value, scope, attribute.attr)
        for name, pattern in unit.patterns:
            if name != ANY_FIELD:
                yield Access(pattern, None, self.resolver.modules[unit.slug].scope, name)
        if by_position := [pattern for name, pattern in unit.patterns if name == ANY_FIELD]:
            fields = {each for module in self.resolver.modules.values() for each in module.fields}
            self.resolver.spend(len(fields))
            scope = self.resolver.modules[unit.slug].scope
            yield from (Access(by_position[0], None, scope, each) for each in sorted(fields))
        for call, scope in unit.calls:
            names = self.names_asked_for(call, scope)
            for each in sorted(names or ()):
                if BuiltIn("getattr") in self.resolver.meanings(call.func, scope):
                    yield Access(call, call.args[0], scope, each)
                else:
                    yield from (Access(call, None, scope, part) for part in each.split("."))

    def names_asked_for(self, call: ast.Call, scope: Scope) -> frozenset[str] | None:
        """The names that `getattr`, `attrgetter` or `methodcaller` is given; None if not known, or for another call."""
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            return None
        function = self.resolver.meanings(call.func, scope)
        if BuiltIn("getattr") in function:
            return strings(self.resolver, call.args[1], scope) if len(call.args) > 1 else None
        last = {meaning.path[-1] for meaning in function if isinstance(meaning, Foreign)} & BY_NAME
        if not last:
            return None
        given = call.args[:1] if last == {"methodcaller"} else call.args
        found = [strings(self.resolver, argument, scope) for argument in given]
        known = [each for each in found if each is not None]
        return frozenset().union(*known) if given and len(known) == len(found) else None

    def base_of(self, access: Access) -> Meanings:
        """What the object of an access may be."""
        return UNKNOWN if access.base is None else self.resolver.meanings(access.base, access.scope)

    def loaded(self, slug: str) -> frozenset[str]:
        """The modules of the submission that run when one of them is imported, itself included."""
        waiting, seen = [slug], {slug}
        while waiting:
            module = self.resolver.modules.get(waiting.pop())
            fresh = (module.imported if module else set()) - seen
            seen |= fresh
            waiting += fresh
        return frozenset(seen & self.resolver.modules.keys())

    def edges(self, unit: Unit) -> _Edges:
        """What a statement leads to."""
        if id(unit) not in self._edges:
            self._edges[id(unit)] = self._find_edges(unit)
        return self._edges[id(unit)]

    def _find_edges(self, unit: Unit) -> _Edges:
        targets: dict[Exercise, None] = {}
        opened: dict[Exercise, None] = {}
        escaped: set[str] = set()
        attributes: set[str] = set()
        for name, scope in unit.names:
            local, outer, _ = self.resolver.name_bindings(name, scope)
            for binding in local:
                if isinstance(origin := binding.origin, FromStudent) and origin.slug and origin.name:
                    targets[origin.slug, origin.name] = None
            if outer:
                targets[scope.slug, name.id] = None
                if id(name) in unit.bases:
                    opened[scope.slug, name.id] = None
            if id(name) not in unit.bases and any(b.origin for b in (*local, *outer)):
                escaped |= self._modules(self.resolver.meanings(name, scope))
        for access in self.accesses(unit):
            base = self.base_of(access)
            for meaning in base:
                if not isinstance(meaning, LessonModule):
                    attributes.add(access.name)
                elif meaning.slug is not None:
                    targets[meaning.slug, access.name] = None
                    if id(access.node) in unit.bases:
                        opened[meaning.slug, access.name] = None
                elif not isinstance(access.node, ast.Attribute) or id(access.node) not in unit.bases:
                    escaped.add(access.name)
        return _Edges(tuple(targets), frozenset(escaped), frozenset(attributes), tuple(opened))

    def _modules(self, meanings: Meanings) -> set[str]:
        slugs = {meaning.slug for meaning in meanings if isinstance(meaning, LessonModule)}
        return set(self.resolver.modules) if None in slugs else {slug for slug in slugs if slug is not None}


class Walk:
    """One walk from a function through everything it reaches; `stop` says at which names it turns back.

    steps: the statements reached; imports: the imports from libraries whose name was reached, with the way there;
    stopped: the names at which the walk turned back.
    """

    def __init__(self, paths: Paths, stop: Callable[[Exercise], bool]) -> None:
        self.paths = paths
        self.stop = stop
        self.steps: dict[int, Step] = {}
        self.stopped: set[Exercise] = set()
        self.imports: dict[tuple[str, str, int, int], tuple[Binding, Step | None]] = {}
        self._names: set[Exercise] = set()
        self._waiting: list[Step] = []
        self._escaped: set[str] = set()
        self._attributes: dict[str, Step] = {}

    def start(self, slug: str, name: str) -> None:
        """Begin at a name, even if it is one to stop at."""
        self._follow((slug, name), None, at_start=True)
        self._advance()

    def add(self, unit: Unit, source: Step | None = None) -> None:
        """Reach a statement and all it leads to."""
        self._enter(unit, source)
        self._advance()

    def _enter(self, unit: Unit, source: Step | None) -> None:
        if id(unit) not in self.steps:
            step = self.steps[id(unit)] = Step(unit, source)
            self._waiting.append(step)

    def _advance(self) -> None:
        while self._waiting:
            step = self._waiting.pop()
            edges = self.paths.edges(step.unit)
            for target in edges.targets:
                self._follow(target, step)
            # a lesson module that was handed on may be behind any unknown thing of which an attribute is taken
            for name in edges.attributes - self._attributes.keys():
                self._attributes[name] = step
                self._follow_escaped(self._escaped, [name])
            fresh = edges.escaped - self._escaped
            self._escaped |= fresh
            self._follow_escaped(fresh, list(self._attributes))

    def _follow_escaped(self, slugs: Collection[str], names: Collection[str]) -> None:
        modules = self.paths.resolver.modules
        for slug in slugs:
            for name in names if slug in modules else ():
                if name in modules[slug].scope.names:
                    self._follow((slug, name), self._attributes[name])

    def _follow(self, target: Exercise, source: Step | None, at_start: bool = False) -> None:
        start, waiting = target, [target]
        while waiting:
            target = waiting.pop()
            if target in self._names:
                continue
            self._names.add(target)
            if self.stop(target) and not (at_start and target == start):
                self.stopped.add(target)
                continue
            slug, name = target
            bindings = self.paths.resolver.module_bindings(slug, name)
            if at_start and target == start:
                bindings = _that_stand(bindings)
            if not bindings and name != "__getattr__":
                waiting.append((slug, "__getattr__"))  # a module may make its names on demand
            for binding in bindings:
                origin = binding.origin
                if binding.kind is not Kind.IMPORT:
                    self._enter(binding.unit, source)
                elif isinstance(origin, FromStudent):
                    if origin.slug and origin.name:
                        waiting.append((origin.slug, origin.name))
                else:
                    self.imports.setdefault((slug, name, binding.line, binding.column), (binding, source))


def _that_stand(bindings: list[Binding]) -> list[Binding]:
    """The bindings of an exercise that can stand when its module has run: a later `def` undoes an import."""
    if any(binding.scope.parent is not None for binding in bindings):  # `global` in a function: at any time
        return bindings
    last = max(bindings, key=lambda each: (each.line, each.column), default=None)
    settled = last is not None and last.kind is Kind.FUNCTION and not last.unit.conditional
    return [last] if last and settled else bindings
