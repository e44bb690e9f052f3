"""One walk over a module's tree that fills its scopes and statements.

The walk keeps a stack of its own: a learner's nesting must not exhaust Python's.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from grader.judge.source.scopes import (
    ANY_FIELD,
    Binding,
    FunctionNode,
    Kind,
    Module,
    Origin,
    Scope,
    Star,
    Unit,
    enclosing_function,
    import_origins,
    imported_slugs,
    parts_of,
)
from grader.judge.source.statements import top_statements
from grader.judge.source.syntax import MAX_DEPTH, TooDeep

_PLAIN = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Delete,
)
_IN_HINTS = (ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.BinOp, ast.BitOr, ast.Load)


def scan(slug: str, source: str, tree: ast.Module) -> Module:
    """The module with all its statements. Raises TooDeep."""
    module = Module(slug, source, Scope("module", slug, None, tree))
    _Scanner(module).run(tree)
    return module


class _Scanner:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.unit: Unit
        self.depth = 0
        self.stack: list[tuple[ast.AST, Scope, int]] = []
        self.handlers: dict[type[ast.AST], Callable[..., None]] = {
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Subscript: self._subscript,
            ast.Call: self._call,
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.Lambda: self._lambda,
            ast.ClassDef: self._class,
            ast.ListComp: self._comprehension,
            ast.SetComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.DictComp: self._comprehension,
            ast.Assign: self._assign,
            ast.AugAssign: self._augmented,
            ast.AnnAssign: self._annotated,
            ast.NamedExpr: self._walrus,
            ast.For: self._for,
            ast.AsyncFor: self._for,
            ast.Global: self._global,
            ast.Nonlocal: self._nonlocal,
            ast.Import: self._import,
            ast.ImportFrom: self._import,
            ast.ExceptHandler: self._named,
            ast.MatchAs: self._named,
            ast.MatchStar: self._named,
            ast.MatchMapping: self._rest,
            ast.MatchClass: self._pattern,
            ast.Constant: lambda _node, _scope: None,
        }

    def run(self, tree: ast.Module) -> None:
        guarded: list[ast.stmt] = []
        self._statements(tree.body, guarded)
        if "__name__" in self.module.scope.names:  # then the guard says nothing
            self._statements(guarded, [])

    def _statements(self, body: list[ast.stmt], guarded: list[ast.stmt]) -> None:
        for statement, depth in top_statements(body, guarded):
            line = getattr(statement, "lineno", 0)
            if isinstance(statement, ast.match_case):
                line = statement.pattern.lineno
            self.unit = Unit(self.module.slug, line, statement, isinstance(statement, _PLAIN), conditional=depth > 0)
            self.module.units.append(self.unit)
            self.stack.append((statement, self.module.scope, depth))
            self._walk()

    def _walk(self) -> None:
        while self.stack:
            node, scope, self.depth = self.stack.pop()
            if self.depth > MAX_DEPTH:
                raise TooDeep(getattr(node, "lineno", self.unit.line))
            handler = self.handlers.get(type(node))
            if handler is not None:
                handler(node, scope)
            else:
                self._children(node, scope)

    def _push(self, nodes: Iterable[ast.AST | None], scope: Scope) -> None:
        depth = self.depth + 1
        self.stack += [(node, scope, depth) for node in nodes if node is not None][::-1]

    def _children(self, node: ast.AST, scope: Scope) -> None:
        depth = self.depth + 1
        found: list[tuple[ast.AST, Scope, int]] = []
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                found += [(item, scope, depth) for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and value._fields:
                found.append((value, scope, depth))
        self.stack += found[::-1]

    def _bind(
        self,
        name: str,
        scope: Scope,
        kind: Kind,
        at: ast.AST,
        node: ast.AST | None = None,
        origin: Origin | None = None,
        evaluated_in: Scope | None = None,
    ) -> Binding:
        home = scope
        if name in scope.global_names:
            home = scope.top
        elif name in scope.nonlocal_names:
            home = enclosing_function(name, scope)
        line, column = getattr(at, "lineno", self.unit.line), getattr(at, "col_offset", 0)
        binding = Binding(kind, name, line, column, node, evaluated_in or scope, self.unit, origin)
        home.names.setdefault(name, []).append(binding)
        if home.parent is None:
            self.unit.bound.append(binding)
        return binding

    def _bind_target(self, target: ast.expr, scope: Scope, kind: Kind, value: ast.expr | None) -> None:
        """Bind what an assignment names; the value follows into a tuple that is written out."""
        waiting: list[tuple[ast.expr, ast.expr | None]] = [(target, value)]
        while waiting:
            target, value = waiting.pop()
            if isinstance(target, ast.Name):
                how = kind if value is not None else Kind.OPAQUE
                self._bind(target.id, scope, how, target, value)
            elif isinstance(target, ast.Tuple | ast.List):
                parts = parts_of(value if kind is Kind.VALUE else None, target)
                waiting += zip(target.elts, parts, strict=True)
            elif isinstance(target, ast.Starred):
                waiting.append((target.value, None))
            else:
                self._push([target], scope)

    def _name(self, node: ast.Name, scope: Scope) -> None:
        if isinstance(node.ctx, ast.Load):
            self.unit.names.append((node, scope))
        else:
            self._bind(node.id, scope, Kind.DELETED if isinstance(node.ctx, ast.Del) else Kind.OPAQUE, node)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> None:
        self.unit.bases.add(id(node.value))
        if isinstance(node.ctx, ast.Load):
            self.unit.attributes.append((node, scope))
        else:
            self._store(node, scope)
        self._push([node.value], scope)

    def _subscript(self, node: ast.Subscript, scope: Scope) -> None:
        self.unit.bases.add(id(node.value))
        if not isinstance(node.ctx, ast.Load):
            self._store(node, scope)
        self._push([node.value, node.slice], scope)

    def _store(self, node: ast.Attribute | ast.Subscript, scope: Scope) -> None:
        self.unit.stores.append((node, scope))
        if scope.parent is None:
            self.unit.plain = False  # `x.a = 1` at module level changes something that exists

    def _call(self, node: ast.Call, scope: Scope) -> None:
        self.unit.calls.append((node, scope))
        self.unit.callees.add(id(node.func))
        self._children(node, scope)

    def _function(self, node: FunctionNode, scope: Scope) -> None:
        self._bind(node.name, scope, Kind.FUNCTION, node, node)
        self._push(node.decorator_list, scope)
        inner = self._callable(node, node.args, scope)
        self._hint(node.returns, scope)
        self._push(node.body, inner)

    def _lambda(self, node: ast.Lambda, scope: Scope) -> None:
        self._push([node.body], self._callable(node, node.args, scope))

    def _callable(self, node: FunctionNode | ast.Lambda, arguments: ast.arguments, scope: Scope) -> Scope:
        inner = Scope("function", scope.slug, scope, node)
        self._push([*arguments.defaults, *arguments.kw_defaults], scope)
        self._type_parameters(node, inner)
        positional = [*arguments.posonlyargs, *arguments.args]
        others = [*arguments.kwonlyargs, *(each for each in (arguments.vararg, arguments.kwarg) if each)]
        for index, argument in enumerate([*positional, *others]):
            receives = index == 0 and positional and scope.kind == "class" and isinstance(node, FunctionNode)
            kind = Kind.RECEIVER if receives else Kind.PARAMETER
            self._bind(argument.arg, inner, kind, argument, node, evaluated_in=scope)
            self._hint(argument.annotation, scope)
        return inner

    def _type_parameters(self, node: ast.AST, scope: Scope) -> None:
        for parameter in getattr(node, "type_params", ()):  # Python 3.12
            self._bind(parameter.name, scope, Kind.OPAQUE, parameter)
            self._children(parameter, scope)

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        self._bind(node.name, scope, Kind.CLASS, node, node)
        self._push([*node.decorator_list, *node.bases, *node.keywords], scope)
        self.unit.inherited.update(id(base) for base in node.bases)
        inner = self.module.class_scopes[id(node)] = Scope("class", scope.slug, scope, node)
        self._type_parameters(node, inner)
        self._push(node.body, inner)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: Scope) -> None:
        inner = Scope("comprehension", scope.slug, scope, node)
        for index, generator in enumerate(node.generators):
            self._bind_target(generator.target, inner, Kind.LOOP, generator.iter)
            self._push([generator.iter], inner if index else scope)  # the first is evaluated outside
            self._push(generator.ifs, inner)
        self._push([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt], inner)

    def _assign(self, node: ast.Assign, scope: Scope) -> None:
        for target in node.targets:
            self._bind_target(target, scope, Kind.VALUE, node.value)
            if isinstance(target, ast.Name) and target.id == "__match_args__":
                constants = (each.value for each in ast.walk(node.value) if isinstance(each, ast.Constant))
                self.module.fields |= {"__match_args__", *map(str, constants)}
        self._push([node.value], scope)

    def _augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        if isinstance(node.target, ast.Name):
            self.unit.names.append((node.target, scope))
        self._push([node.target, node.value], scope)

    def _annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        self._hint(node.annotation, scope)
        if node.value is not None:
            self._bind_target(node.target, scope, Kind.VALUE, node.value)
            self._push([node.value], scope)
        elif isinstance(node.target, ast.Name) and scope.kind == "function":
            scope.names.setdefault(node.target.id, [])  # makes it local, gives it nothing
        if isinstance(node.target, ast.Name) and scope.kind == "class":
            self.module.fields.add(node.target.id)

    def _walrus(self, node: ast.NamedExpr, scope: Scope) -> None:
        home = scope
        while home.kind == "comprehension" and home.parent is not None:
            home = home.parent
        self._bind(node.target.id, home, Kind.VALUE, node.target, node.value, evaluated_in=scope)
        self._push([node.value], scope)

    def _for(self, node: ast.For | ast.AsyncFor, scope: Scope) -> None:
        self._bind_target(node.target, scope, Kind.LOOP, node.iter)
        self._push([node.iter, *node.body, *node.orelse], scope)

    def _global(self, node: ast.Global, scope: Scope) -> None:
        scope.global_names.update(node.names)

    def _nonlocal(self, node: ast.Nonlocal, scope: Scope) -> None:
        scope.nonlocal_names.update(node.names)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        self.module.imported |= imported_slugs(node)
        for name, origin in import_origins(node):
            if name == "*":
                self.module.stars[origin] = Star(origin, node.lineno, node.col_offset, self.unit)
            else:
                self.unit.imports.append(self._bind(name, scope, Kind.IMPORT, node, node, origin))

    def _named(self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar, scope: Scope) -> None:
        if node.name:
            self._bind(node.name, scope, Kind.OPAQUE, node)
        self._children(node, scope)

    def _rest(self, node: ast.MatchMapping, scope: Scope) -> None:
        if node.rest:
            self._bind(node.rest, scope, Kind.OPAQUE, node)
        self._children(node, scope)

    def _pattern(self, node: ast.MatchClass, scope: Scope) -> None:
        self.unit.patterns += [(name, node) for name in node.kwd_attrs]
        if node.patterns:
            self.unit.patterns.append((ANY_FIELD, node))
        self._children(node, scope)

    def _hint(self, annotation: ast.expr | None, scope: Scope) -> None:
        """An annotation that only names types is kept apart; one that does more is ordinary code."""
        if annotation is None:
            return
        nodes = list(ast.walk(annotation))
        if all(isinstance(node, _IN_HINTS) for node in nodes):
            inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
            dotted = (node for node in nodes if isinstance(node, ast.Name | ast.Attribute) and id(node) not in inner)
            self.unit.hints += [(node, scope) for node in dotted]
        else:
            self._push([annotation], scope)
