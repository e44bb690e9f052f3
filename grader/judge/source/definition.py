"""How far an exercise has come, as its module shows."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import Enum

from grader.judge.source.bindings import Resolver
from grader.judge.source.scopes import Binding, FunctionNode, Kind
from grader.judge.source.syntax import SyntaxProblem

_SIMILAR = 0.75  # similarity from which a name is offered as a misspelling
_HOW = {
    Kind.CLASS: "it is a class",
    Kind.IMPORT: "it is imported",
    Kind.VALUE: "it is assigned",
    Kind.LOOP: "it is assigned by a loop",
}


class State(Enum):
    """What stands under an exercise's name."""

    MISSING_MODULE = "missing module"
    UNREADABLE = "unreadable module"
    MISSING_FUNCTION = "missing function"
    STUB = "stub"
    DEFINED = "defined"
    BOUND_OTHERWISE = "bound otherwise"


@dataclass(frozen=True)
class Definition:
    """The state of one exercise.

    nearest: for a missing function, the name in the module that it may be misspelt as; how: for one bound otherwise
    than by a plain `def`, by what; syntax: why the module cannot be read.
    """

    slug: str
    name: str
    state: State
    line: int | None = None
    nearest: str | None = None
    how: str | None = None
    syntax: SyntaxProblem | None = None

    @property
    def is_stub(self) -> bool:
        """Whether the exercise has not been started."""
        return self.state is State.STUB

    @property
    def problem(self) -> str | None:
        """What to tell the learner if there is nothing to run, else None."""
        if self.state is State.MISSING_MODULE:
            return f"There is no file student/{self.slug}.py."
        if self.state is State.UNREADABLE and self.syntax is not None:
            return self.syntax.render()
        if self.state is State.MISSING_FUNCTION:
            missing = f"student/{self.slug}.py has no function `{self.name}`"
            return f"{missing}; did you mean to call `{self.nearest}` that?" if self.nearest else f"{missing}."
        return None


def definition_of(resolver: Resolver, slug: str, name: str, others: Collection[str] = ()) -> Definition:
    """The state of an exercise whose module could be read; `others` are never offered as misspellings."""
    bindings = resolver.module_bindings(slug, name)
    if not bindings or latest(bindings).kind is Kind.DELETED:
        return Definition(slug, name, State.MISSING_FUNCTION, nearest=_nearest(resolver, slug, name, others))
    last = latest(bindings)
    node = plain_function(last)
    if node is None:
        decorated = isinstance(last.node, FunctionNode)
        how = "it is decorated" if decorated else _HOW.get(last.kind, "it is bound by a statement other than `def`")
        return Definition(slug, name, State.BOUND_OTHERWISE, last.line, how=how)
    return Definition(slug, name, State.STUB if is_stub(node) else State.DEFINED, node.lineno)


def latest(bindings: Iterable[Binding]) -> Binding:
    """The binding that stands when a module has run: the last in the text."""
    return max(bindings, key=lambda binding: (binding.line, binding.column))


def plain_function(binding: Binding) -> FunctionNode | None:
    """The `def` of a binding at module level, None if the name is bound otherwise or the function is decorated."""
    node = binding.node
    at_top = binding.scope.parent is None
    return node if at_top and isinstance(node, FunctionNode) and not node.decorator_list else None


def is_stub(node: FunctionNode) -> bool:
    """Whether a function's body is only a docstring and `raise NotImplementedError`, `...` or `pass`."""
    return all(_is_idle(statement) for statement in node.body)


def _is_idle(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise):
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return isinstance(statement.value.value, str) or statement.value.value is ...
    return isinstance(statement, ast.Pass)


def _nearest(resolver: Resolver, slug: str, name: str, others: Collection[str]) -> str | None:
    """A function or variable of the module whose name may be a misspelling of this one."""
    made = {Kind.FUNCTION, Kind.CLASS, Kind.VALUE}
    bound = resolver.modules[slug].scope.names
    names = [
        each for each, bindings in bound.items() if each not in others and bindings and latest(bindings).kind in made
    ]
    plain = {each.replace("_", "").lower(): each for each in reversed(names)}
    wanted = name.replace("_", "").lower()
    close = [wanted] if wanted in plain else difflib.get_close_matches(wanted, plain, n=1, cutoff=_SIMILAR)
    return plain[close[0]] if close else None
