"""What the names and expressions of a submission mean, over all its modules."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping

from grader.judge.source.meanings import (
    NOTHING,
    PLAIN,
    UNKNOWN,
    BuiltIn,
    Foreign,
    Instance,
    LessonModule,
    Meanings,
    MissingLesson,
    OwnClass,
    OwnFunction,
)
from grader.judge.source.scopes import (
    Binding,
    FromElsewhere,
    FromStudent,
    FunctionNode,
    Kind,
    Module,
    Scope,
    has_decorator,
    lookup,
)

_LINKS = 60  # how long a chain of names and dots is followed
_STEPS = 2_000  # and how many expressions in all to tell what one means
WORK = 400_000
"""Bindings and expressions looked at to answer one question; a lesson module takes some thousands."""

_BUILT_INS = frozenset(dir(builtins)) | {"__builtins__", "__loader__", "__spec__", "__annotations__"}
_PLAIN_CALLS = ("dict", "list", "set", "tuple", "frozenset", "str", "int", "float", "bool", "len", "range")
_MAKERS_OF_PLAIN = {*(BuiltIn(name) for name in _PLAIN_CALLS), Foreign(("types", "SimpleNamespace"))}
_PLAIN_NODES = (
    *(ast.Constant, ast.JoinedStr, ast.Dict, ast.List, ast.Tuple, ast.Set, ast.Lambda, ast.Compare),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
_HARMLESS_BASES = frozenset({"Module", "Function", "ABC", "Protocol", "Generic", "NamedTuple", "Enum", "IntEnum"})
_METHOD_DECORATORS = frozenset(
    {"abstractmethod", "cache", "cached_property", "enable_grad", "inference_mode", "lru_cache", "no_grad", "override"}
)
"""Decorators from libraries that leave a method's `self` as it is."""

_HARMLESS_DECORATORS = frozenset({"dataclass", "total_ordering", "final", "runtime_checkable"})


class TooTangled(Exception):
    """Raised when a question about a submission takes more work than any honest program needs."""


class Resolver:
    """Answers what a name or an expression may mean. Answers are kept, so the trees must not change."""

    def __init__(self, modules: Mapping[str, Module]) -> None:
        self.modules = modules
        self._answers: dict[int, Meanings] = {}
        self._under_way: set[object] = set()
        self._steps = 0
        self._cut_short = False
        self._left = WORK

    def new_question(self) -> None:
        """Allow the work of one question anew."""
        self._left = WORK

    def spend(self, work: int) -> None:
        """Account for some work. Raises TooTangled."""
        self._left -= work
        if self._left < 0:
            raise TooTangled

    def module_bindings(self, slug: str, name: str) -> list[Binding]:
        """Every way in which a module binds a name at its top, star imports that may bring it included.

        A star import counts if nothing else binds the name, or if it comes after something that does.
        """
        module = self.modules.get(slug)
        if module is None:
            return []
        found = list(module.scope.names.get(name, ()))
        first = min(((each.line, each.column) for each in found), default=None)
        self.spend(1 + len(found) + len(module.stars))
        for star in module.stars.values():
            if first is not None and (star.line, star.column) < first:
                continue
            if isinstance(star.origin, FromElsewhere):
                origin: FromStudent | FromElsewhere = FromElsewhere((*star.origin.path, name))
            elif star.origin.slug is None and name in self.modules:
                origin = FromStudent(name)
            elif star.origin.slug and self.binds(star.origin.slug, name):
                origin = FromStudent(star.origin.slug, name)
            else:
                continue
            found.append(Binding(Kind.IMPORT, name, star.line, star.column, None, module.scope, star.unit, origin))
        return found

    def binds(self, slug: str, name: str) -> bool:
        """Whether a module has a name at its top, be it by a star import (one from a library may bring any name)."""
        waiting, seen = [slug], {slug}
        while waiting:
            module = self.modules.get(waiting.pop())
            if module is None:
                continue
            self.spend(1 + len(module.stars))
            if name in module.scope.names or any(isinstance(origin, FromElsewhere) for origin in module.stars):
                return True
            slugs = {origin.slug for origin in module.stars if isinstance(origin, FromStudent)}
            fresh = {each for each in slugs if each is not None} - seen
            waiting += fresh
            seen |= fresh
        return False

    def name_bindings(self, node: ast.Name, scope: Scope) -> tuple[list[Binding], list[Binding], bool]:
        """What a name may mean: local bindings, module-level ones, and whether it may be a built-in of Python.

        A built-in stays possible beside a module-level binding of the name: that may not have happened yet.
        """
        local, reaches_module = lookup(node.id, scope)
        self.spend(1 + len(local))
        outer = self.module_bindings(scope.slug, node.id) if reaches_module else []
        return local, outer, reaches_module and node.id in _BUILT_INS

    def meanings(self, node: ast.expr, scope: Scope) -> Meanings:
        """All that an expression may mean; never empty."""
        key = id(node)
        if key in self._answers:
            return self._answers[key]
        outermost = not self._under_way
        if outermost:
            self._steps = 0
        self._steps += 1
        self.spend(1)
        if key in self._under_way or len(self._under_way) > _LINKS or self._steps > _STEPS:
            self._cut_short = True
            return UNKNOWN
        before, self._cut_short = self._cut_short, False
        self._under_way.add(key)
        try:
            found = self._meanings(node, scope) or UNKNOWN
        finally:
            self._under_way.discard(key)
        if outermost or not self._cut_short:  # an answer from inside a cycle may be incomplete
            self._answers[key] = found
        self._cut_short = not outermost and (self._cut_short or before)
        return found

    def _meanings(self, node: ast.expr, scope: Scope) -> Meanings:
        if isinstance(node, ast.Name):
            local, outer, built_in = self.name_bindings(node, scope)
            found = self._union(local + outer)
            return found | {BuiltIn(node.id)} if built_in else found
        if isinstance(node, ast.Attribute):
            return self.attribute(self.meanings(node.value, scope), node.attr)
        if isinstance(node, ast.Call):
            return self._call(node, scope)
        if isinstance(node, ast.IfExp):
            return self.meanings(node.body, scope) | self.meanings(node.orelse, scope)
        if isinstance(node, ast.BoolOp):
            return NOTHING.union(*(self.meanings(value, scope) for value in node.values))
        if isinstance(node, ast.NamedExpr):
            return self.meanings(node.value, scope)
        return PLAIN if isinstance(node, _PLAIN_NODES) else UNKNOWN

    def attribute(self, base: Meanings, name: str) -> Meanings:
        """All that `.name` of something with these meanings may mean."""
        found = NOTHING
        for meaning in base:
            if isinstance(meaning, Foreign):
                found |= {Foreign((*meaning.path, name), meaning.passed)}
            elif isinstance(meaning, LessonModule):
                found |= {LessonModule(name)} if meaning.slug is None else self.member(meaning.slug, name)
            else:
                found |= UNKNOWN
        return found

    def member(self, slug: str, name: str) -> Meanings:
        """All that a name of a lesson module may mean, seen from outside."""
        if slug not in self.modules:
            return Meanings({MissingLesson(slug)})
        found = self._union(self.module_bindings(slug, name)) or UNKNOWN
        passed = frozenset({(slug, name)})
        return Meanings(Foreign(m.path, m.passed | passed) if isinstance(m, Foreign) else m for m in found)

    def _union(self, bindings: Iterable[Binding]) -> Meanings:
        return NOTHING.union(*(self.binding(each) for each in bindings))

    def binding(self, binding: Binding) -> Meanings:
        """All that a name may mean by one of its bindings; nothing for a `del`."""
        node, origin = binding.node, binding.origin
        if isinstance(origin, FromElsewhere):
            return Meanings({Foreign(origin.path)})
        if isinstance(origin, FromStudent):
            if origin.slug is None or origin.name is None:
                return Meanings({LessonModule(origin.slug)})
            return self._imported(binding, origin.slug, origin.name)
        if binding.kind is Kind.FUNCTION and isinstance(node, FunctionNode) and not node.decorator_list:
            return Meanings({OwnFunction(binding.scope.slug, binding.name)})
        if binding.kind is Kind.CLASS and isinstance(node, ast.ClassDef):
            return Meanings({OwnClass(node)}) if self._is_own(node, binding.scope) else UNKNOWN
        if binding.kind is Kind.VALUE and isinstance(node, ast.expr):
            return self.meanings(node, binding.scope)
        if binding.kind is Kind.RECEIVER and isinstance(node, FunctionNode):
            return self._receiver(node, binding.scope)
        return NOTHING if binding.kind is Kind.DELETED else UNKNOWN

    def _imported(self, binding: Binding, slug: str, name: str) -> Meanings:
        marker = (id(binding.scope), binding.name, slug)
        if not self._under_way:
            self._steps = 0
        self._steps += 1
        # modules may import a name from each other
        if marker in self._under_way or len(self._under_way) > _LINKS or self._steps > _STEPS:
            self._cut_short = True
            return UNKNOWN
        self._under_way.add(marker)
        try:
            return self.member(slug, name)
        finally:
            self._under_way.discard(marker)

    def _is_own(self, node: ast.ClassDef, scope: Scope) -> bool:
        """Whether nothing of a library hides behind the attributes of a class's instances, save what it puts there."""
        if any(keyword.arg == "metaclass" or keyword.arg is None for keyword in node.keywords):
            return False
        for decorator in node.decorator_list:
            named = decorator.func if isinstance(decorator, ast.Call) else decorator
            if not self._is_from_library(named, scope, _HARMLESS_DECORATORS):
                return False
        for base in node.bases:
            bare = base.value if isinstance(base, ast.Subscript) else base
            own = all(isinstance(m, OwnClass) or m == BuiltIn("object") for m in self.meanings(bare, scope))
            if not own and not self._is_from_library(bare, scope, _HARMLESS_BASES):
                return False
        return not any(isinstance(each, FunctionNode) and each.name == "__new__" for each in node.body)

    def _is_from_library(self, node: ast.expr, scope: Scope, names: frozenset[str]) -> bool:
        return all(isinstance(m, Foreign) and m.path[-1] in names for m in self.meanings(node, scope))

    def _receiver(self, method: FunctionNode, scope: Scope) -> Meanings:
        owner = scope.owner
        if not isinstance(owner, ast.ClassDef) or scope.parent is None or not self._is_own(owner, scope.parent):
            return UNKNOWN
        if has_decorator(method, "classmethod"):
            return Meanings({OwnClass(owner)})
        for decorator in method.decorator_list:
            named = decorator.func if isinstance(decorator, ast.Call) else decorator
            is_property = BuiltIn("property") in self.meanings(named, scope)
            if not is_property and not self._is_from_library(named, scope, _METHOD_DECORATORS):
                return UNKNOWN
        return Meanings({Instance(owner, method.name)})

    def _call(self, node: ast.Call, scope: Scope) -> Meanings:
        found = NOTHING
        for meaning in self.meanings(node.func, scope):
            if isinstance(meaning, OwnClass):
                found |= {Instance(meaning.node)}
            elif meaning in _MAKERS_OF_PLAIN:
                found |= PLAIN
            elif meaning == BuiltIn("super") and not node.args:
                found |= self._super(scope)
            else:
                found |= UNKNOWN
        return found

    def _super(self, scope: Scope) -> Meanings:
        current: Scope | None = scope
        while current is not None and current.kind != "class":
            current = current.parent
        if current is None or current.parent is None or not isinstance(current.owner, ast.ClassDef):
            return UNKNOWN
        return Meanings({Instance(current.owner)}) if self._is_own(current.owner, current.parent) else UNKNOWN
