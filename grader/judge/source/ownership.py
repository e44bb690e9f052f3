"""Whether an attribute is taken of something that is plainly the learner's own."""

from __future__ import annotations

import ast

from grader.judge.source.meanings import (
    BuiltIn,
    Instance,
    LessonModule,
    Meaning,
    MissingLesson,
    OwnClass,
    OwnFunction,
    PlainValue,
)
from grader.judge.source.reach import Paths
from grader.judge.source.scopes import FunctionNode, Scope, Unit


class Ownership:
    """Answers over a whole submission."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self._loose: frozenset[str] | None = None
        self._package_is_changed: bool | None = None

    def is_own(self, meaning: Meaning) -> bool:
        """Whether attributes of this are the learner's. For a lesson module it depends on the attribute: not here."""
        if isinstance(meaning, Instance):
            return meaning.method is None or meaning.method not in self.loose_methods()
        if isinstance(meaning, MissingLesson):
            return not self.package_is_changed()
        return isinstance(meaning, OwnClass | OwnFunction | PlainValue | BuiltIn)

    def loose_methods(self) -> frozenset[str]:
        """Names of methods taken from a class rather than from an instance: their `self` may be a tensor."""
        if self._loose is None:
            modules = self.paths.resolver.modules.values()
            self._loose = frozenset(name for module in modules for unit in module.units for name in self._taken(unit))
        return self._loose

    def package_is_changed(self) -> bool:
        """Whether `student` itself may be given attributes: then `student.x` need not be a lesson."""
        if self._package_is_changed is None:
            modules = self.paths.resolver.modules.values()
            self._package_is_changed = any(self._changes_package(unit) for module in modules for unit in module.units)
        return self._package_is_changed

    def _changes_package(self, unit: Unit) -> bool:
        resolver, package = self.paths.resolver, LessonModule(None)
        return any(package in resolver.meanings(target.value, scope) for target, scope in unit.stores) or any(
            id(name) not in unit.bases and package in resolver.meanings(name, scope) for name, scope in unit.names
        )

    def _taken(self, unit: Unit) -> set[str]:
        found = {attribute.attr for attribute, scope in unit.attributes if self._is_class(attribute.value, scope)}
        used = unit.bases | unit.callees | unit.inherited
        for name, scope in unit.names:
            if scope.kind == "class":
                local, _, _ = self.paths.resolver.name_bindings(name, scope)
                found.update(binding.name for binding in local)
            if id(name) not in used:
                meanings = self.paths.resolver.meanings(name, scope)
                owners = [meaning.node for meaning in meanings if isinstance(meaning, OwnClass)]
                found.update(each.name for owner in owners for each in owner.body if isinstance(each, FunctionNode))
        return found

    def _is_class(self, node: ast.expr, scope: Scope) -> bool:
        if isinstance(node, ast.Call) and BuiltIn("type") in self.paths.resolver.meanings(node.func, scope):
            return True
        if isinstance(node, ast.Attribute) and node.attr == "__class__":
            return True
        meanings = self.paths.resolver.meanings(node, scope)
        return any(isinstance(meaning, OwnClass) for meaning in meanings)
