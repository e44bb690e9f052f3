"""Folding: conditions that are known are decided, and what they leave out is gone."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from grader.review.born.code.known import Scope, Unknown, Unsuitable
from grader.review.born.code.reading import put, stores

Called = Callable[[ast.Call, Scope], ast.expr]
"""What becomes of a call of one of the catalogue's helpers."""
SHORT = 60


class Fold(ast.NodeTransformer):
    """Expressions of one scope. called: what to do with a call once its arguments are folded."""

    def __init__(self, scope: Scope, called: Called) -> None:
        self.scope = scope
        self.called = called

    def expression(self, node: ast.expr) -> ast.expr:
        """The folded expression."""
        folded: ast.expr = self.visit(node)
        return folded

    def visit(self, node: ast.AST) -> Any:
        """Fold what is inside, and replace what is a known constant. A module's own tables stay out of it."""
        if isinstance(node, ast.expr) and not isinstance(node, ast.Constant | ast.JoinedStr | ast.Tuple | ast.Dict):
            try:
                return _literal(self.scope.value(node))
            except (Unknown, _NotShort):
                pass
        return super().visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        try:
            return ast.Constant(self.scope.value(node))
        except Unknown:
            pass
        parts: list[ast.expr] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                part.value = self.expression(part.value)
                if isinstance(part.value, ast.Constant) and part.conversion == -1 and part.format_spec is None:
                    part = ast.Constant(str(part.value.value))
            if isinstance(part, ast.Constant) and parts and isinstance(last := parts[-1], ast.Constant):
                parts[-1] = ast.Constant(str(last.value) + str(part.value))
            else:
                parts.append(part)
        return ast.JoinedStr(parts)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self.expression(node.test)
        truth = self.scope.truth(test)
        if truth is not None:
            return self.expression(node.body if truth else node.orelse)
        body, orelse = self.expression(node.body), self.expression(node.orelse)
        return body if ast.dump(body) == ast.dump(orelse) else ast.IfExp(test, body, orelse)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        stops = isinstance(node.op, ast.Or)
        kept: list[ast.expr] = []
        for part in map(self.expression, node.values):
            truth = self.scope.truth(part)
            if truth is None:
                kept.append(part)
            elif truth is stops:
                return ast.Constant(stops) if not kept else ast.BoolOp(node.op, [*kept, part])
        if not kept:
            return ast.Constant(not stops)
        return kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.expression(node.left), self.expression(node.right)
        if isinstance(node.op, ast.Add | ast.Sub) and isinstance(right, ast.Constant):
            if right.value is False or (right.value == 0 and isinstance(right.value, int)):
                return left
            if right.value is True:
                right = ast.Constant(1)
        if isinstance(node.op, ast.Add) and isinstance(left, ast.List) and isinstance(right, ast.List):
            return ast.List([*left.elts, *right.elts], ast.Load())
        if isinstance(node.op, ast.Add) and isinstance(left, ast.List) and not left.elts:
            return right
        return ast.BinOp(left, node.op, right)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int() as at)) if (
                name in self.scope.lists and at < len(self.scope.lists[name].elts)
            ):
                return self.scope.lists[name].elts[at]
        if isinstance(node.ctx, ast.Load) and (found := self._entry(node.value, node.slice)) is not None:
            return self.expression(found)
        return self._inside(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        node.args.defaults = [self.expression(default) for default in node.args.defaults]
        inner = self.scope.copy()
        own = {each.arg for each in node.args.args}
        inner.forget(own)
        inner.local = inner.local | own
        node.body = Fold(inner, self.called).expression(node.body)
        return node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        return self._comprehension(node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        if (unrolled := self.unrolled(node)) is not None:
            return ast.List(unrolled, ast.Load())
        return self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        return self._comprehension(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node:
            case ast.Call(func=ast.Name(id="next"), args=[ast.GeneratorExp() as candidates, default]):
                if (found := self.unrolled(candidates)) is not None:
                    return found[0] if found else self.expression(default)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=held), attr="get"), args=[key, *rest]):
                if held in self.scope.displays:
                    entry = self._entry(ast.Name(held, ast.Load()), key)
                    return self.expression(entry or (rest[0] if rest else ast.Constant(None)))
        if isinstance(node.func, ast.Name):
            return self.called(node, self.scope)
        return self._inside(node)

    def unrolled(self, node: ast.GeneratorExp | ast.ListComp) -> list[ast.expr] | None:
        """The elements of a comprehension over things that are known, None if they are not."""
        if len(node.generators) != 1:
            return None
        loop = node.generators[0]
        rows = self.rows(loop.target, loop.iter)
        if rows is None:
            return None
        found = []
        for row in rows:
            truths = [self.scope.truth(self.expression(put(test, row))) for test in loop.ifs]
            if None in truths:
                return None
            if all(truths):
                found.append(self.expression(put(node.elt, row)))
        return found

    def rows(self, target: ast.expr, source: ast.expr) -> list[dict[str, ast.expr]] | None:
        """What a loop's variables stand for in each of its rounds, None if that is not known."""
        names = [target.id] if isinstance(target, ast.Name) else []
        if isinstance(target, ast.Tuple) and all(isinstance(each, ast.Name) for each in target.elts):
            names = [each.id for each in target.elts if isinstance(each, ast.Name)]
        values = self._items(source)
        if values is None or not names or any(len(names) != len(row) for row in values):
            return None
        return [dict(zip(names, row, strict=True)) for row in values]

    def _items(self, source: ast.expr) -> list[list[ast.expr]] | None:
        match source:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=held), attr="items"), args=[]):
                if (display := self.scope.displays.get(held)) is not None:
                    return [[key, value] for key, value in zip(display.keys, display.values, strict=True) if key]
                if isinstance(table := self._global(held), dict):
                    return _rows([(key, value) for key, value in table.items()])
            case ast.Tuple(elts=parts) if all(isinstance(each, ast.Tuple) for each in parts):
                return [each.elts for each in parts if isinstance(each, ast.Tuple)]
            case ast.Tuple(elts=parts) if not any(isinstance(each, ast.Starred) for each in parts):
                return [[each] for each in parts]
            case _:
                try:
                    known = self.scope.value(source)
                except Unknown:
                    return None
                if isinstance(known, str | tuple | dict):
                    return _rows([(each,) for each in known])
        return None

    def _global(self, name: str) -> Any:
        return None if name in self.scope.local else self.scope.outside.get(name)

    def _entry(self, held: ast.expr, key: ast.expr) -> ast.expr | None:
        """An entry of a dict that was written out."""
        if not isinstance(held, ast.Name) or held.id not in self.scope.displays:
            return None
        try:
            wanted = self.scope.value(key)
        except Unknown:
            return None
        display = self.scope.displays[held.id]
        for name, value in zip(display.keys, display.values, strict=True):
            if isinstance(name, ast.Constant) and name.value == wanted:
                return value
        return None

    def _comprehension(self, node: Any) -> ast.expr:
        inner = self.scope.copy()
        for loop in node.generators:
            loop.iter = Fold(inner, self.called).expression(loop.iter)
            own = set(stores(loop.target))
            inner.forget(own)
            inner.local = inner.local | own
        fold = Fold(inner, self.called)
        for loop in node.generators:
            tests = [fold.expression(test) for test in loop.ifs]
            if any(inner.truth(test) is False for test in tests):
                raise Unsuitable("a comprehension of nothing")
            loop.ifs = [test for test in tests if inner.truth(test) is None]
        for part in ("elt", "key", "value"):
            if hasattr(node, part):
                setattr(node, part, fold.expression(getattr(node, part)))
        found: ast.expr = node
        return found

    def _inside(self, node: ast.expr) -> ast.expr:
        folded: ast.expr = self.generic_visit(node)  # type: ignore[assignment]  # an expression stays one
        return folded


def _rows(rows: list[tuple[Any, ...]]) -> list[list[ast.expr]] | None:
    try:
        return [[_literal(each) for each in row] for row in rows]
    except _NotShort:
        return None


class _NotShort(Exception):
    pass


def _literal(value: Any) -> ast.expr:
    """A known value as it is written; tables stay names."""
    if isinstance(value, tuple) and len(repr(value)) <= SHORT:
        return ast.Tuple([_literal(each) for each in value], ast.Load())
    if isinstance(value, int | float) and not isinstance(value, bool) and (value < 0 or value != value):
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    if value is None or isinstance(value, bool | int | float | str):
        if isinstance(value, float) and value in (float("inf"),):
            raise _NotShort
        return ast.Constant(value)
    raise _NotShort
