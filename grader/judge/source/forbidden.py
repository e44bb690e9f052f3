"""Built-ins that would do a whole exercise, and ways to torch that cannot be resolved, in what a function reaches."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from grader.judge.source import refused
from grader.judge.source.leftovers import Leftovers
from grader.judge.source.meanings import (
    BuiltIn,
    Exercise,
    Foreign,
    Instance,
    LessonModule,
    Meanings,
    MissingLesson,
    PlainValue,
)
from grader.judge.source.ownership import Ownership
from grader.judge.source.patches import Patches
from grader.judge.source.reach import BY_NAME, Access, Paths, Step, Walk
from grader.judge.source.scopes import Binding, FromElsewhere, Scope, Unit

_SHOWN = 40  # characters of an expression that are quoted


@dataclass(frozen=True, order=True)
class Finding:
    """Something that an exercise may not use. `what` names it; `reason` tells the learner, in whole sentences."""

    slug: str
    line: int
    what: str
    reason: str

    @property
    def sentence(self) -> str:
        """The reason."""
        return self.reason


def bare(name: str) -> str:
    """A name without what tells its spellings apart: `_softmax`, `softmax_`, `Softmax`, `special_softmax`."""
    return name.removeprefix("special_").replace("_", "").lower()


class ForbiddenUse:
    """The question, for one submission: what does an exercise use that it may not?"""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self.ownership = Ownership(paths)
        self._patches = Patches(paths, self.ownership)
        self._leftovers = Leftovers(paths)

    def findings(
        self, exercise: Exercise, forbidden: Collection[str], is_not_followed: Callable[[Exercise], bool]
    ) -> list[Finding]:
        """Every finding for an exercise, in the order of the lines; none if nothing is forbidden to it."""
        if not forbidden:
            return []
        walk = self._walk(exercise, is_not_followed)
        look = _Look(self, exercise, frozenset(bare(each) for each in forbidden), is_not_followed)
        found = {finding for step in walk.steps.values() for finding in look.unit(step.unit, step)}
        seen = {finding.what for finding in found}
        for binding, source in walk.imports.values():  # an import is named only where no use of it was
            found.update(each for each in look.imported(binding, source) if each.what not in seen)
        module = self.paths.resolver.modules.get(exercise[0])
        for unit in module.units if module else ():
            # a statement that runs when the file is loaded counts by itself; what it calls need not
            if not unit.plain and id(unit) not in walk.steps:
                found.update(look.unit(unit, None))
        return sorted(found)

    def _walk(self, exercise: Exercise, is_not_followed: Callable[[Exercise], bool]) -> Walk:
        walk = Walk(self.paths, lambda other: other != exercise and is_not_followed(other))
        walk.start(*exercise)
        loaded = self.paths.loaded(exercise[0])
        for slug in sorted(loaded):
            for unit in self._patches.of(slug):
                walk.add(unit)
        self._leftovers.extend(walk, loaded)
        return walk


@dataclass(frozen=True, slots=True)
class _Place:
    """Where something is: the statement, how it was reached, and the node (None for an import)."""

    unit: Unit
    step: Step | None
    node: ast.expr | ast.pattern | None
    import_line: int = 0

    @property
    def line(self) -> int:
        if self.node is None:
            return self.import_line
        # a chain may run over several lines: its last name is the one meant
        last = self.node.end_lineno if isinstance(self.node, ast.Attribute) else None
        return last or self.node.lineno

    def quoted(self) -> str:
        """What is written there."""
        text = " ".join(ast.unparse(self.node).split()) if self.node else ""
        return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]}...{text[-_SHOWN // 2 :]}"


class _Look:
    """One exercise's question, put to one statement after another."""

    def __init__(
        self,
        use: ForbiddenUse,
        exercise: Exercise,
        forbidden: frozenset[str],
        is_not_followed: Callable[[Exercise], bool],
    ) -> None:
        self.paths = use.paths
        self.ownership = use.ownership
        self.exercise = exercise
        self.forbidden = forbidden
        self.is_not_followed = is_not_followed

    def unit(self, unit: Unit, step: Step | None) -> Iterator[Finding]:
        """The findings in one statement."""
        resolver = self.paths.resolver
        for name, scope in unit.names:
            yield from self._name(name, scope, _Place(unit, step, name))
        for access in self.paths.accesses(unit):
            yield from self._access(access, _Place(unit, step, access.node))
        for call, scope in unit.calls:
            yield from self._computed(call, scope, _Place(unit, step, call))
        for hint, scope in unit.hints:
            for meaning in resolver.meanings(hint, scope):
                last = meaning.path[-1] if isinstance(meaning, Foreign) else ""
                if last[:1].islower() and self._is_forbidden(last):  # a class may be named: `norm: nn.LayerNorm`
                    yield self._built_in(_Place(unit, step, hint), ast.unparse(hint))
        for binding in unit.imports:
            yield from self.imported(binding, step)

    def _name(self, name: ast.Name, scope: Scope, place: _Place) -> Iterator[Finding]:
        """The finding in a name: one imported at module level, or one of Python's own.

        An assignment that gives the name its value is a statement of its own, and so found there.
        """
        _, outer, built_in = self.paths.resolver.name_bindings(name, scope)
        for binding in outer:
            for meaning in self.paths.resolver.binding(binding) if binding.origin else ():
                if isinstance(meaning, Foreign) and not self._is_excused(meaning):
                    yield from self._path(meaning.path, place)
        if built_in and name.id in refused.BUILT_INS:
            advice = f" If it is a function of your own, call it something other than `{name.id}`." if outer else ""
            yield self._refusal(place, name.id, refused.BUILT_INS[name.id] + advice)
        elif built_in and name.id == "getattr" and id(name) not in place.unit.callees:
            yield self._refusal(place, "getattr", refused.COMPUTED)

    def imported(self, binding: Binding, step: Step | None) -> Iterator[Finding]:
        """The finding in an import that was reached."""
        if isinstance(binding.origin, FromElsewhere):
            yield from self._path(binding.origin.path, _Place(binding.unit, step, None, binding.line))

    def _path(self, path: tuple[str, ...], place: _Place) -> Iterator[Finding]:
        """The finding in a name, an import or a lesson module's member that means this path."""
        dotted = ".".join(path)
        if any(self._is_forbidden(part) for part in path[1:]):
            yield self._built_in(place, dotted)
        elif path[-1] in BY_NAME:
            if id(place.node) not in place.unit.callees:
                yield self._refusal(place, dotted, refused.COMPUTED)
        elif reason := refused.refusal(path):
            yield self._refusal(place, dotted, reason)

    def _access(self, access: Access, place: _Place) -> Iterator[Finding]:
        name, base = access.name, self.paths.base_of(access)
        paths = sorted({m.path for m in base if isinstance(m, Foreign) and not self._is_excused(m)})
        for path in paths:
            if not any(self._is_forbidden(part) for part in path[1:]) and not refused.refusal(path):
                yield from self._path((*path, name), place)  # else it was found one dot earlier
        members = self.paths.resolver.attribute(Meanings(m for m in base if isinstance(m, LessonModule)), name)
        for member in members:
            if isinstance(member, Foreign) and not self._is_excused(member):
                yield from self._path(member.path, place)
        others = [m for m in base if not isinstance(m, Foreign | LessonModule)]
        others += [m for m in members if isinstance(m, MissingLesson)]
        unknown = not all(map(self.ownership.is_own, others))
        if self._is_forbidden(name):
            if unknown and not paths:
                yield self._method(place, name)
        elif not paths and (unknown or name.startswith("__")) and (reason := refused.ATTRIBUTES.get(name)):
            of_own = all(isinstance(m, Instance) and self.ownership.is_own(m) for m in base)
            if not (of_own and name in refused.FINE_ON_OWN):
                yield self._refusal(place, place.quoted(), reason)

    def _computed(self, call: ast.Call, scope: Scope, place: _Place) -> Iterator[Finding]:
        """The finding in a call that takes an attribute by a name which cannot be told."""
        meanings = self.paths.resolver.meanings(call.func, scope)
        by_operator = any(isinstance(m, Foreign) and m.path[-1] in BY_NAME for m in meanings)
        if not (by_operator or BuiltIn("getattr") in meanings):
            return
        if self.paths.names_asked_for(call, scope) is not None:
            return
        if not by_operator and call.args:
            base = self.paths.resolver.meanings(call.args[0], scope)
            if all(isinstance(m, Instance | PlainValue) and self.ownership.is_own(m) for m in base):
                return
        yield self._refusal(place, ast.unparse(call.func), refused.COMPUTED)

    def _is_forbidden(self, name: str) -> bool:
        return bare(name) in self.forbidden

    def _is_excused(self, meaning: Foreign) -> bool:
        """Whether this comes by the name of an exercise that is not followed: the fault is booked there."""
        return any(each != self.exercise and self.is_not_followed(each) for each in meaning.passed)

    def _built_in(self, place: _Place, what: str) -> Finding:
        written = place.quoted()
        named = f"`{what}`" if written in (what, "") else f"`{written}` ({what})"
        return self._finding(
            place,
            what,
            f"uses {named}, which does this whole exercise in one call. Build it from smaller steps; the rest of torch "
            "may be used.",
        )

    def _method(self, place: _Place, name: str) -> Finding:
        written = place.quoted()
        return self._finding(
            place,
            written,
            f"uses `{written}`: torch's `{name}` does this whole exercise in one call. Build it from smaller steps. "
            f"If it is a function of your own, call it by its name, as in `{name}(...)`.",
        )

    def _refusal(self, place: _Place, what: str, reason: str) -> Finding:
        return self._finding(place, what, f"uses `{what}`, which {reason}")

    def _finding(self, place: _Place, what: str, text: str) -> Finding:
        """Where it is, what it is, and how the exercise comes to it."""
        (slug, name), unit = self.exercise, place.unit
        where = f"Line {place.line}" if unit.slug == slug else f"Line {place.line} of {unit.slug}.py"
        sentence = f"{where} {text}"
        if place.step is None and not unit.plain:
            sentence += (
                " The line stands outside every function and runs whenever the file is loaded: delete it, or move it "
                'under `if __name__ == "__main__":`.'
            )
        elif unit.bound and name not in {binding.name for binding in unit.bound}:
            sentence += f" `{name}` leads there through {unit.title}."
        return Finding(unit.slug, place.line, what, sentence)
