"""What is left over after folding: names for names, values that nobody reads."""

from __future__ import annotations

import ast
from collections import Counter

from grader.review.born.code.reading import is_pure, loads, put, stores


def tidied(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function without second names for one thing and without unread values. The tree is changed."""
    before = ""
    while (text := ast.dump(function)) != before:
        before = text
        function.body = _without_aliases(function)
        function.body = _alive(function.body, set()) or [ast.Pass()]
        for node in ast.walk(function):
            for block in ("body", "orelse"):
                if isinstance(statements := getattr(node, block, None), list):
                    _return_at_once(statements)
    return function


def _without_aliases(function: ast.FunctionDef) -> list[ast.stmt]:
    """`y = x` at the top, neither of which is bound again: x everywhere. `x = x` goes."""
    bound = Counter(stores(function.body)) + Counter(each.arg for each in function.args.args)
    for position, statement in enumerate(function.body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=new)], value=ast.Name(id=old)):
                rest = function.body[:position] + function.body[position + 1 :]
                if new == old:
                    return rest
                if bound[new] == 1 and bound[old] <= 1:
                    return [put(each, {new: ast.Name(old, ast.Load())}) for each in rest]
    return function.body


def _return_at_once(body: list[ast.stmt]) -> None:
    """`x = value` and then `return x`: the value itself is returned."""
    match body:
        case [*_, ast.Assign(targets=[ast.Name(id=made)], value=value), ast.Return(value=ast.Name(id=name))] if (
            made == name
        ):
            body[-2:] = [ast.Return(value)]


def _alive(body: list[ast.stmt], live: set[str]) -> list[ast.stmt]:
    """The statements that do something, given which names are read afterwards; `live` then has those read before."""
    kept: list[ast.stmt] = []
    for statement in reversed(body):
        if (needed := _needed(statement, live)) is not None:
            kept.append(needed)
    return kept[::-1]


def _needed(statement: ast.stmt, live: set[str]) -> ast.stmt | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            if (name not in live and is_pure(value)) or (isinstance(value, ast.Name) and value.id == name):
                return None
            live.discard(name)
            live.update(loads(value))
        case ast.Assign(targets=[ast.Tuple() as target], value=value):
            names = set(stores(target))
            if not names & live and is_pure(value):
                return None
            live.difference_update(names)
            live.update(loads(value), loads(target))
        case ast.If():
            after = set(live)
            body = _alive(statement.body, live)
            orelse = _alive(statement.orelse, after)
            live.update(after)
            if not body and not orelse and is_pure(statement.test):
                return None
            live.update(loads(statement.test))
            if not body:
                return (
                    ast.If(ast.UnaryOp(ast.Not(), statement.test), orelse, []) if orelse else ast.Expr(statement.test)
                )
            return ast.If(statement.test, body, orelse)
        case ast.For() | ast.While():
            live.update(loads(statement))
            statement.body = _alive(statement.body, set(live))
            if not statement.body:
                return None
        case ast.With():
            statement.body = _alive(statement.body, live)
            live.update(*(loads(item.context_expr) for item in statement.items))
        case ast.FunctionDef(name=name):
            if name not in live:
                return None
            live.discard(name)
            live.update(loads(statement))
        case ast.Expr(value=value) if is_pure(value) and not _calls_a_function(value):
            return None
        case ast.Return() | ast.Raise():
            live.clear()
            live.update(loads(statement))
        case ast.AugAssign(target=target):
            live.update(loads(statement), stores(target))
        case _:
            live.update(loads(statement))
    return statement


def _calls_a_function(value: ast.expr) -> bool:
    return any(isinstance(each, ast.Call) for each in ast.walk(value))
