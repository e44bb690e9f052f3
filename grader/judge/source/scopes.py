"""What a module binds: scopes, the bindings in them, and the statements that make them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import Enum, auto

PACKAGE = "student"
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
ANY_FIELD = "*"
"""Stands for the attributes that a class pattern takes by position: `case Point(x, y)`."""


class Kind(Enum):
    """How a name got its value."""

    IMPORT = auto()
    FUNCTION = auto()
    CLASS = auto()
    VALUE = auto()  # `node` is the expression it was given
    LOOP = auto()  # `node` is what is iterated over
    OPAQUE = auto()  # a value that is not followed: `with`, `except`, unpacking, `+=`
    PARAMETER = auto()
    RECEIVER = auto()  # `self` or `cls`; `node` is the method
    DELETED = auto()


@dataclass(frozen=True, slots=True)
class FromStudent:
    """An import of a lesson module's name; of the whole module if `name` is None; of the package if `slug` is None."""

    slug: str | None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class FromElsewhere:
    """An import of anything else, as a dotted path."""

    path: tuple[str, ...]


Origin = FromStudent | FromElsewhere


@dataclass(slots=True, eq=False)
class Scope:
    """A namespace of a module."""

    kind: str  # module, function, class or comprehension
    slug: str
    parent: Scope | None
    owner: ast.AST
    names: dict[str, list[Binding]] = field(default_factory=dict)
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)

    @property
    def top(self) -> Scope:
        """The module's own scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass(slots=True, eq=False)
class Binding:
    """One way in which a name gets a value. `scope` is where `node` is evaluated."""

    kind: Kind
    name: str
    line: int
    column: int
    node: ast.AST | None
    scope: Scope
    unit: Unit
    origin: Origin | None = None


@dataclass(slots=True, eq=False)
class Unit:
    """One statement at module level with everything inside it: the grain in which code is reached.

    The lists hold every place that a question may be asked about, each with the scope it stands in.
    """

    slug: str
    line: int
    node: ast.AST
    plain: bool = True  # a definition, an import or an assignment to names
    conditional: bool = False  # inside an `if`, a `try`, a loop
    names: list[tuple[ast.Name, Scope]] = field(default_factory=list)
    attributes: list[tuple[ast.Attribute, Scope]] = field(default_factory=list)
    calls: list[tuple[ast.Call, Scope]] = field(default_factory=list)
    hints: list[tuple[ast.expr, Scope]] = field(default_factory=list)
    stores: list[tuple[ast.Attribute | ast.Subscript, Scope]] = field(default_factory=list)
    patterns: list[tuple[str, ast.MatchClass]] = field(default_factory=list)
    imports: list[Binding] = field(default_factory=list)
    bound: list[Binding] = field(default_factory=list)  # at module level
    bases: set[int] = field(default_factory=set)  # ids of nodes that stand before a dot or a bracket
    callees: set[int] = field(default_factory=set)  # ids of nodes that are called
    inherited: set[int] = field(default_factory=set)  # ids of nodes in a class's list of bases

    @property
    def title(self) -> str:
        """How a person would name this statement."""
        return f"`{self.bound[0].name}`" if self.plain and self.bound else f"line {self.line} of {self.slug}.py"


@dataclass(slots=True, eq=False)
class Star:
    """`from origin import *` at module level."""

    origin: Origin
    line: int
    column: int
    unit: Unit


@dataclass(slots=True, eq=False)
class Module:
    """A lesson module that could be read."""

    slug: str
    source: str
    scope: Scope
    units: list[Unit] = field(default_factory=list)
    stars: dict[Origin, Star] = field(default_factory=dict)  # of each origin the last
    imported: set[str] = field(default_factory=set)  # slugs of lesson modules imported anywhere in it
    class_scopes: dict[int, Scope] = field(default_factory=dict)  # by the id of the ClassDef
    fields: set[str] = field(default_factory=set)  # names that a class pattern may take by position


def import_origins(node: ast.Import | ast.ImportFrom) -> list[tuple[str, Origin]]:
    """The names that an import binds (`*` for a star) and where each comes from."""
    if isinstance(node, ast.Import):
        return [_plain_import(alias) for alias in node.names]
    parts = tuple(node.module.split(".")) if node.module else ()
    if node.level == 1:
        parts = (PACKAGE, *parts)
    elif node.level > 1:
        parts = ("." * node.level, *parts)
    return [(alias.asname or alias.name, _member(parts, alias.name)) for alias in node.names]


def _plain_import(alias: ast.alias) -> tuple[str, Origin]:
    parts = tuple(alias.name.split("."))
    if alias.asname is None:
        return parts[0], FromStudent(None) if parts[0] == PACKAGE else FromElsewhere(parts[:1])
    if parts[0] != PACKAGE:
        return alias.asname, FromElsewhere(parts)
    return alias.asname, FromStudent(parts[1] if len(parts) > 1 else None)


def _member(parts: tuple[str, ...], name: str) -> Origin:
    """The origin of `name` in `from parts import name`; for a star, that of the module itself."""
    path = parts if name == "*" else (*parts, name)
    if path[0] != PACKAGE or len(path) > 3:
        return FromElsewhere(path)
    return FromStudent(*path[1:]) if len(path) > 1 else FromStudent(None)


def imported_slugs(node: ast.Import | ast.ImportFrom) -> set[str]:
    """The lesson modules that an import statement loads."""
    if isinstance(node, ast.Import):
        paths = [alias.name.split(".") for alias in node.names]
    else:
        base = ([PACKAGE] if node.level == 1 else []) + (node.module.split(".") if node.module else [])
        paths = [[*base, alias.name] for alias in node.names] if node.level < 2 else []
    return {path[1] for path in paths if path[0] == PACKAGE and len(path) > 1}


def lookup(name: str, scope: Scope) -> tuple[list[Binding], bool]:
    """The local bindings that a name may mean, and whether it may (also) mean a name of the module.

    A name read in a class body falls through to the module until the class has bound it.
    """
    found: list[Binding] = []
    current, direct = scope, True
    while current.parent is not None:
        if name in current.global_names:
            return found, True
        if current.kind != "class":
            if name in current.names:
                return found + current.names[name], False
            # a comprehension in a class body does not see the class; nor does a method
        elif direct and name in current.names:
            found += current.names[name]
        direct = False
        current = current.parent
    return found, True


def enclosing_function(name: str, scope: Scope) -> Scope:
    """The function outside this one that has a name declared `nonlocal`; the scope itself if none has."""
    home = scope.parent
    while home is not None and home.parent is not None:
        if home.kind == "function" and name in home.names:
            return home
        home = home.parent
    return scope


def has_decorator(node: FunctionNode, *names: str) -> bool:
    """Whether a function carries one of these decorators, written as a bare name."""
    return any(isinstance(each, ast.Name) and each.id in names for each in node.decorator_list)


def parts_of(value: ast.expr | None, target: ast.Tuple | ast.List) -> list[ast.expr | None]:
    """The values of the parts of a target, where the value is written out as they are: `a, b = 1, 2`."""
    values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    starred = any(isinstance(part, ast.Starred) for part in (*target.elts, *values))
    return [*values] if len(values) == len(target.elts) and not starred else [None] * len(target.elts)
