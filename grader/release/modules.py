"""Which modules of the engine a student's bundle needs: those that its commands import, and no others."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.course.functions import parse
from grader.edition import COMMANDS
from grader.errors import GraderFault

ENGINE = "grader"
HIDDEN_ROOMS = (
    "reference", "grader.misconceptions", "grader.variations", "grader.selfcheck", "grader.release", "grader.batch",
    "grader.analysis", "grader.gradebook", "grader.export", "grader.capstone", "grader.suites",
)  # fmt: skip
"""Packages that no bundle holds. (Its suites are written anew.)"""
NOT_FOLLOWED = ("grader.review.born.mistakes", "grader.review.born.faults")
"""Modules that are imported as late as they are used, and never used in a bundle: what they make rests on mistakes."""
_BEYOND_IMPORTS = ("grader.sandbox", "grader.suite")
"""What a zygote imports by name or is sent as text, and what suites import."""


@dataclass(frozen=True, slots=True)
class _Import:
    """A module that another one imports. late: inside a function, or for types alone."""

    module: str
    late: bool


def modules_of_a_bundle(engine: Path) -> list[Path]:
    """The files of those modules, relative to the folder that holds the engine, in order.

    Raises GraderFault when something in a bundle would import what is hidden.
    """
    commands = [f"{ENGINE}.cli.{name}" for name in sorted(COMMANDS)]
    waiting = [f"{ENGINE}.cli", f"{ENGINE}.cli.__main__", *commands]
    for name in _BEYOND_IMPORTS:
        waiting += [name, *_submodules(engine, name)]
    found: dict[str, Path] = {}
    while waiting:
        name = waiting.pop()
        path = _file(engine, name)
        if name in found or path is None:
            continue
        found[name] = path
        waiting += _parents(name)
        for imported in _imports(name, path, engine):
            if is_hidden(imported.module):
                if not imported.late:
                    raise GraderFault(f"{path.name} of the student's edition would import {imported.module}, a secret")
            elif imported.module not in NOT_FOLLOWED:
                waiting.append(imported.module)
    return sorted(path.relative_to(engine.parent) for path in found.values())


def imported_packages(paths: list[Path], root: Path) -> set[str]:
    """The top-level names of everything that these files import."""
    names: set[str] = set()
    for path in paths:
        for node in _nodes(root / path):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add((node.module or "").partition(".")[0])
    return names


def is_hidden(module: str) -> bool:
    """Whether a module lies in a room that no bundle has."""
    return any(module == room or module.startswith(f"{room}.") for room in HIDDEN_ROOMS)


def _imports(name: str, path: Path, engine: Path) -> Iterator[_Import]:
    """What a module of the engine imports of the project."""
    nodes = _nodes(path)
    early = set(map(id, _at_once(nodes[0])))
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in nodes:
        for module in _modules_named(node, package, engine):
            yield _Import(module, late=id(node) not in early)


@cache
def _nodes(path: Path) -> tuple[ast.AST, ...]:
    """The tree of a module, and then every import in it."""
    tree = parse(path.read_text(encoding="utf-8"))
    return (tree, *(node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)))


def _at_once(node: ast.AST) -> Iterator[ast.AST]:
    """The imports that run when the module is imported."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield child
        yield from _at_once(child)


def _modules_named(node: ast.AST, package: str, engine: Path) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if _is_ours(alias.name))
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, base]).rstrip(".")
        if _is_ours(base):
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names if _file(engine, f"{base}.{alias.name}"))


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in (ENGINE, "reference")


def _file(engine: Path, module: str) -> Path | None:
    """The file of a module of the engine, None for what is no module of it."""
    path = engine.parent.joinpath(*module.split("."))
    if not module.startswith(ENGINE):
        return None
    return next((each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()), None)


def _submodules(engine: Path, package: str) -> list[str]:
    folder = engine.parent.joinpath(*package.split("."))
    files = [path.relative_to(engine.parent).with_suffix("") for path in folder.rglob("*.py")]
    return [".".join(file.parts).removesuffix(".__init__") for file in files]


def _parents(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]
