"""Statements of one function, in order, with what is known on the way."""

from __future__ import annotations

import ast
from typing import Any

from grader.review.born.code.fold import Called, Fold
from grader.review.born.code.known import Scope, Unknown, Unsuitable, is_plain
from grader.review.born.code.reading import loads, put, stores

ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def statements(body: list[ast.stmt], scope: Scope, called: Called) -> list[ast.stmt]:
    """The folded statements; what stands behind a return is gone. `scope` learns what the assignments make known."""
    found: list[ast.stmt] = []
    for statement in body:
        if not isinstance(statement, ast.Assign | ast.Return):
            scope.lists.clear()  # anything else may change a list in place
        found += _statement(statement, scope, called)
        if found and _always_ends(found[-1]):
            break
    return found


def _always_ends(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.If):
        return bool(statement.orelse) and _always_ends(statement.body[-1]) and _always_ends(statement.orelse[-1])
    return isinstance(statement, ENDS)


def _statement(statement: ast.stmt, scope: Scope, called: Called) -> list[ast.stmt]:
    fold = Fold(scope, called)
    match statement:
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return _statement(ast.Assign([target], value, lineno=0), scope, called)
        case ast.AnnAssign() | ast.Pass():
            return []
        case ast.Assign(targets=[target], value=value):
            return _assign(target, value, scope, called)
        case ast.AugAssign(target=target):
            statement.value = fold.expression(statement.value)
            if not isinstance(target, ast.Name):
                statement.target = fold.expression(target)  # type: ignore[assignment]  # what is indexed stays it
            scope.forget(set(stores(target)))
            return [statement]
        case ast.If(test=ast.NamedExpr(target=target, value=value)):
            asked = ast.If(ast.Name(target.id, ast.Load()), statement.body, statement.orelse)
            return [*_assign(target, value, scope, called), *_if(asked, scope, called)]
        case ast.If():
            return _if(statement, scope, called)
        case ast.For():
            return _for(statement, scope, called)
        case ast.While(test=test):
            bound = set(stores(statement.body))
            scope.forget(bound)
            inner = scope.copy()
            loop = ast.While(Fold(inner, called).expression(test), statements(statement.body, inner, called), [])
            return [loop]
        case ast.With():
            for item in statement.items:
                item.context_expr = fold.expression(item.context_expr)
            statement.body = statements(statement.body, scope, called)
            return [statement]
        case ast.FunctionDef():
            return [_nested(statement, scope, called)]
        case ast.Return(value=value):
            return [ast.Return(fold.expression(value) if value else None)]
        case ast.Raise(exc=ast.expr() as exc):
            return [ast.Raise(fold.expression(exc), None)]
        case ast.Expr(value=value):
            folded = fold.expression(value)
            return [] if isinstance(folded, ast.Constant) else [ast.Expr(folded)]
        case ast.Break() | ast.Continue():
            return [statement]
    raise Unsuitable(f"a statement of the kind {type(statement).__name__}")


def _assign(target: ast.expr, value: ast.expr, scope: Scope, called: Called) -> list[ast.stmt]:
    fold = Fold(scope, called)
    if isinstance(target, ast.Tuple) and isinstance(value, ast.GeneratorExp):
        unrolled = fold.unrolled(value)
        if unrolled is not None and len(unrolled) == len(target.elts):
            value = ast.Tuple(unrolled, ast.Load())
    folded = fold.expression(value)
    if isinstance(target, ast.Tuple) and isinstance(folded, ast.Tuple) and len(folded.elts) == len(target.elts):
        names = set(stores(target))
        if not names & set(loads(folded)) and all(isinstance(each, ast.Name) for each in target.elts):
            parts = zip(target.elts, folded.elts, strict=True)
            return [made for name, part in parts for made in _assign(name, part, scope, called)]
    if not isinstance(target, ast.Name):
        if not isinstance(target, ast.Tuple):
            target = fold.expression(target)
        scope.forget(set(stores(target)))
        return [ast.Assign([target], folded, lineno=0)]
    scope.forget({target.id})
    _learn(target.id, folded, scope)
    return [ast.Assign([target], folded, lineno=0)]


def _learn(name: str, folded: ast.expr, scope: Scope) -> None:
    """Remember a constant, and a dict that is written out with constant keys."""
    try:
        value: Any = scope.value(folded)
    except Unknown:
        if isinstance(folded, ast.Dict) and all(isinstance(key, ast.Constant) for key in folded.keys):
            scope.displays[name] = folded
        elif isinstance(folded, ast.List) and len(folded.elts) <= 1:
            scope.lists[name] = folded
        return
    if is_plain(value) and not isinstance(value, dict):
        scope.values[name] = value
    elif isinstance(folded, ast.Dict):
        scope.displays[name] = folded


def _if(statement: ast.If, scope: Scope, called: Called) -> list[ast.stmt]:
    test = Fold(scope, called).expression(statement.test)
    truth = scope.truth(test)
    if truth is not None:
        return statements(statement.body if truth else statement.orelse, scope, called)
    inner, other = scope.copy(), scope.copy()
    body = statements(statement.body, inner, called)
    orelse = statements(statement.orelse, other, called)
    scope.forget(set(stores(statement.body)) | set(stores(statement.orelse)))
    if not body and not orelse:
        return []
    if not body:
        return [ast.If(ast.UnaryOp(ast.Not(), test), orelse, [])]
    return [ast.If(test, body, orelse)]


def _for(statement: ast.For, scope: Scope, called: Called) -> list[ast.stmt]:
    fold = Fold(scope, called)
    if statement.orelse:
        raise Unsuitable("a loop with an else")
    rows = fold.rows(statement.target, statement.iter) if scope.switch in loads(statement.body) else None
    if rows is not None and not any(
        isinstance(n, ast.Break | ast.Continue) for s in statement.body for n in ast.walk(s)
    ):
        found: list[ast.stmt] = []
        for row in rows:
            found += statements([put(each, row) for each in statement.body], scope, called)
            if found and _always_ends(found[-1]):
                break
        return found
    source = fold.expression(statement.iter)
    scope.forget(set(stores(statement)))
    inner = scope.copy()
    body = statements(statement.body, inner, called)
    return [ast.For(statement.target, source, body, [], lineno=0)] if body else []


def _nested(statement: ast.FunctionDef, scope: Scope, called: Called) -> ast.FunctionDef:
    """A function inside of a function; it sees what is known around it."""
    statement.args.defaults = [Fold(scope, called).expression(each) for each in statement.args.defaults]
    inner = scope.copy()
    own = set(stores(statement.body)) | {each.arg for each in statement.args.args}
    inner.forget(own)
    inner.local = inner.local | own
    statement.body = statements(statement.body, inner, called) or [ast.Pass()]
    scope.forget({statement.name})
    return statement
