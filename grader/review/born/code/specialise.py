"""A function with some mistakes made, as a text that stands by itself: helpers inlined or set in front of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from grader.judge.misconception import Flawed
from grader.review.born.code.fold import Fold
from grader.review.born.code.known import Scope, Unknown, Unsuitable, is_plain
from grader.review.born.code.reading import (
    BUILT_IN,
    MADE,
    defaults,
    head_of,
    is_helper,
    loads,
    parameters,
    put,
    source_of,
    stores,
)
from grader.review.born.code.tidy import tidied
from grader.review.born.code.unfold import statements

DEEPEST = 6
KNOWN_TO_ALL = frozenset({"torch", "math", "F", "Tensor"}) | BUILT_IN
"""Names that need no explanation."""


@dataclass(frozen=True)
class Code:
    """functions: source by name, helpers first, the exercise's own last."""

    functions: Mapping[str, str]

    @property
    def text(self) -> str:
        """All of it; together with torch, math and F it can be run."""
        return "\n\n".join(self.functions.values())

    def apart_from(self, right: Code) -> str:
        """The functions that are not as in the right code."""
        return "\n\n".join(text for name, text in self.functions.items() if text != right.functions.get(name))


def specialised(flawed: Flawed, names: frozenset[str]) -> Code:
    """The exercise's function with these mistakes made and no others. Raises Unsuitable."""
    maker = _Maker(names)
    main = maker.make(flawed.function, {}, depth=0, switch=parameters(head_of(flawed.function))[0])
    main.name = flawed.exercise.rpartition(".")[2]
    functions = [_named(each) for each in (*maker.helpers.values(), main)]
    for function in functions:
        _check(function, {each.name for each in functions})
    return Code({each.name: ast.unparse(ast.fix_missing_locations(each)) for each in functions})


def _named(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function with the names of helpers as they are written."""
    function.name = function.name.removeprefix(MADE)
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            node.id = node.id.removeprefix(MADE)
    return function


def _check(function: ast.FunctionDef, made: set[str]) -> None:
    """Every name must be the function's own, a helper that is shown, or known to all."""
    free = set(loads(function)) - set(stores(function)) - KNOWN_TO_ALL - made
    if free:
        raise Unsuitable(f"names from elsewhere: {', '.join(sorted(free))}")


class _Maker:
    """Specialises one function after the other and keeps those that could not be inlined."""

    def __init__(self, chosen: frozenset[str]) -> None:
        self.chosen = chosen
        self.helpers: dict[str, ast.FunctionDef] = {}
        self._depth = 0

    def make(
        self, function: Callable[..., Any], bound: dict[str, Any], depth: int, switch: str | None
    ) -> ast.FunctionDef:
        """The function with its switch gone and these parameters known."""
        if depth > DEEPEST:
            raise Unsuitable("helpers too deep")
        node = source_of(function)
        names = parameters(node)
        if any(isinstance(each, ast.Global | ast.Nonlocal | ast.Yield | ast.Await) for each in ast.walk(node)):
            raise Unsuitable("no plain function")
        gone = set(bound) | ({switch} if switch else set())
        _drop_parameters(node, gone)
        local = frozenset(stores(node.body)) | frozenset(names)
        scope = Scope(switch, self.chosen, function.__globals__, local, dict(bound))
        node.args.defaults = [Fold(scope, lambda call, _: call).expression(each) for each in node.args.defaults]
        self._depth, before = depth, self._depth
        node.body = statements(node.body, scope, self._called) or [ast.Pass()]
        self._depth = before
        node.body = self._inlined(node.body, node)
        rebound = set(bound) & set(loads(node.body)) - set(stores(node.body))
        if rebound or (switch and switch in loads(node.body)):
            raise Unsuitable(f"{function.__name__} keeps {', '.join(rebound) or 'a switch'}")
        return tidied(node)

    def _called(self, node: ast.Call, scope: Scope) -> ast.expr:
        """A call of a helper: its value where that is one expression, or else a call of the helper made for it."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name.startswith(MADE):
            return node
        fold = Fold(scope, self._called)
        found = None if name in scope.local else scope.outside.get(name)
        if not is_helper(found):
            if isinstance(found, type) and found.__module__.startswith("grader."):
                raise Unsuitable(f"a class, {name}")
            node.args = [fold.expression(each) for each in node.args]
            for keyword in node.keywords:
                keyword.value = fold.expression(keyword.value)
            return node
        assert found is not None
        given, switch = self._given(node, found, fold)
        bound = {each: known for each, value in given.items() if (known := _known(value, scope)) is not _UNKNOWN}
        helper = self.make(found, bound, self._depth + 1, switch)
        passed = {each: value for each, value in given.items() if each not in bound}
        return self._inline_value(helper, passed) or self._call_of(helper, passed)

    def _given(
        self, node: ast.Call, function: Callable[..., Any], fold: Fold
    ) -> tuple[dict[str, ast.expr], str | None]:
        """The arguments by parameter, and which parameter is the switch."""
        source = head_of(function)
        names = parameters(source)
        if any(isinstance(each, ast.Starred) for each in node.args) or any(k.arg is None for k in node.keywords):
            raise Unsuitable("starred arguments")
        raw = dict(zip(names, node.args, strict=False)) | {k.arg: k.value for k in node.keywords if k.arg}
        switch = None
        given: dict[str, ast.expr] = {}
        for name, value in raw.items():
            if isinstance(value, ast.Name) and fold.scope.switch is not None and value.id == fold.scope.switch:
                switch = name
            else:
                given[name] = fold.expression(value)
        for name, default in defaults(source).items():
            if name not in raw:
                given[name] = put(default, {})
        return given, switch

    def _inline_value(self, helper: ast.FunctionDef, passed: dict[str, ast.expr]) -> ast.expr | None:
        """The helper's value in place of the call, if it is one expression that repeats no long argument."""
        match helper.body:
            case [ast.Return(value=ast.expr() as value)] if _may_be_put(value, passed):
                return put(value, passed)
        return None

    def _call_of(self, helper: ast.FunctionDef, passed: dict[str, ast.expr]) -> ast.expr:
        """A call of the helper, which from now on is shown; parameters that it does not read are gone."""
        used = set(loads(helper.body))
        _drop_parameters(helper, {name for name in passed if name not in used})
        name = f"{MADE}{helper.name}"
        same = [other for other in self.helpers if other.partition("__")[0] == name]
        for other in same:
            helper.name = other
            if ast.dump(self.helpers[other]) == ast.dump(helper):
                break
        else:
            helper.name = f"{name}__{len(same) + 1}" if same else name
            self.helpers[helper.name] = helper
        arguments = [passed[each] for each in parameters(helper) if each in passed]
        return ast.Call(ast.Name(helper.name, ast.Load()), arguments, [])

    def _inlined(self, body: list[ast.stmt], node: ast.FunctionDef) -> list[ast.stmt]:
        """Statements that are one call of a shown helper, replaced by its statements where no names clash."""
        found: list[ast.stmt] = []
        for statement in body:
            if isinstance(statement, ast.If):
                statement.body = self._inlined(statement.body, node)
                statement.orelse = self._inlined(statement.orelse, node)
            found += self._opened(statement, node) or [statement]
        return found

    def _opened(self, statement: ast.stmt, node: ast.FunctionDef) -> list[ast.stmt] | None:
        match statement:
            case ast.Return(value=ast.Call(func=ast.Name(id=name)) as call):
                pass
            case ast.Assign(value=ast.Call(func=ast.Name(id=name)) as call):
                pass
            case ast.Expr(value=ast.Call(func=ast.Name(id=name)) as call):
                pass
            case _:
                return None
        helper = self.helpers.get(name)
        everywhere = [*self.helpers.values(), node]
        if helper is None or sum(loads(each).count(name) for each in everywhere) != 1:
            return None
        return self._replaced(statement, call, helper, node)

    def _replaced(
        self, statement: ast.stmt, call: ast.Call, helper: ast.FunctionDef, node: ast.FunctionDef
    ) -> list[ast.stmt] | None:
        *body, last = helper.body
        early = any(isinstance(each, ast.Return) for inner in body for each in ast.walk(inner))
        if early and not isinstance(statement, ast.Return):
            return None
        returns = isinstance(last, ast.Return) and last.value is not None
        if isinstance(statement, ast.Expr) == returns or (
            not returns and isinstance(last, ast.If) and not isinstance(statement, ast.Expr)
        ):
            return None
        passed = dict(zip(parameters(helper), call.args, strict=True))
        simple = {name: value for name, value in passed.items() if isinstance(value, ast.Name | ast.Constant)}
        clash = (set(stores(helper.body)) - set(passed)) & (set(stores(node)) | set(loads(call)))
        rebound = set(stores(helper.body)) & set(passed)
        if clash or rebound or (set(passed) - set(simple)) & set(stores(node)):
            return None
        made: list[ast.stmt] = [
            ast.Assign([ast.Name(name, ast.Store())], value, lineno=0)
            for name, value in passed.items()
            if name not in simple
        ]
        if not returns:
            made += [put(each, simple) for each in helper.body]
        else:
            made += [put(each, simple) for each in body]
            assert isinstance(last, ast.Return)
            assert last.value is not None
            value = put(last.value, simple)
            if isinstance(statement, ast.Return):
                made.append(ast.Return(value))
            elif isinstance(statement, ast.Assign):
                made.append(ast.Assign(statement.targets, value, lineno=0))
        del self.helpers[helper.name]
        return made


_UNKNOWN = object()


def _known(value: ast.expr, scope: Scope) -> Any:
    try:
        found = scope.value(value)
    except Unknown:
        return _UNKNOWN
    return found if is_plain(found) else _UNKNOWN


def _may_be_put(value: ast.expr, passed: dict[str, ast.expr]) -> bool:
    """Whether each argument may stand in the place of its parameter: a long one once at most."""
    read = loads(value)
    bound = set(stores(value))
    for name, argument in passed.items():
        simple = isinstance(argument, ast.Name | ast.Constant)
        if (not simple and read.count(name) > 1) or bound & set(loads(argument)):
            return False
    return True


def _drop_parameters(node: ast.FunctionDef, gone: set[str]) -> None:
    """Take these out of a function's parameters."""
    arguments = node.args
    kept_defaults = {name: value for name, value in defaults(node).items() if name not in gone}
    arguments.posonlyargs = [each for each in arguments.posonlyargs if each.arg not in gone]
    arguments.args = [each for each in arguments.args if each.arg not in gone]
    arguments.defaults = [kept_defaults[each.arg] for each in arguments.args if each.arg in kept_defaults]
    kept = [each for each in arguments.kwonlyargs if each.arg not in gone]
    arguments.kw_defaults = [kept_defaults.get(each.arg) for each in kept]
    arguments.kwonlyargs = kept
