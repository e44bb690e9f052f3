"""The public checks of a hidden suite as a suite of their own: the marked tests and what they need, nothing else.

Read and written as text; nothing of a suite is run. What is kept looks as its author wrote it, without the comments,
which may speak of the tests that stay hidden.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from grader.course.functions import parse

PUBLIC = "public"
"""The mark of a test that goes into the bundle (grader.suite)."""
_EXERCISE = "exercise"
_HEAD = '"""Public checks of the lesson {lesson}. The instructor\'s grading asks more than these."""\n'


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text of the public suite, and the names of the classes and tests in it: `("TestRmsNorm", "test_small")`."""

    text: str
    tests: frozenset[tuple[str, str]]


@lru_cache
def excerpt(text: str, lesson: str) -> Excerpt:
    """The public part of a suite. Raises SyntaxError for a text that is no Python."""
    tree = parse(text)
    suite = _Suite(text, tree)
    parts = [_HEAD.format(lesson=lesson), suite.imports(), *suite.definitions()]
    return Excerpt("\n\n".join(part for part in parts if part) + "\n", frozenset(suite.tests()))


class _Suite:
    """One suite, and the names of its module that the public tests need."""

    def __init__(self, text: str, tree: ast.Module) -> None:
        self._lines = _without_comments(text).split("\n")
        self._tree = tree
        self._classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self._suites = [node for node in self._classes.values() if self._is_asked(node)]
        self._holders = {base.name for node in self._suites for base in self._line(node)}
        self._asked = self._asked_of_self()
        self._needed = self._reachable()

    def tests(self) -> Iterator[tuple[str, str]]:
        """Every public test of every class of an exercise, those of its bases too."""
        for node in self._suites:
            for base in self._line(node):
                yield from ((node.name, test.name) for test in _functions(base) if _is_public(test))

    def imports(self) -> str:
        """The imports, of each only the names that are needed, in the blocks in which they stood."""
        written: list[str] = []
        last = 0
        for node in self._tree.body:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            names = [alias for alias in node.names if (alias.asname or alias.name).partition(".")[0] in self._needed]
            if names:
                gap = "\n" if written and any(not line.strip() for line in self._lines[last : node.lineno - 1]) else ""
                kept = type(node)(**{**dict(ast.iter_fields(node)), "names": names})
                written.append(gap + ast.unparse(kept))
            last = node.end_lineno or last
        return "\n".join(written) + ("\n" if written else "")

    def definitions(self) -> Iterator[str]:
        """The helpers, constants and classes in the order of the file."""
        for node in self._tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom) or not _defines(node) & self._needed:
                continue
            if isinstance(node, ast.ClassDef) and node.name in self._holders:
                yield self._reduced(node)
            else:
                gap = "" if isinstance(node, ast.Assign | ast.AnnAssign) else "\n"
                yield "\n".join(self._written(node)).rstrip() + gap

    def _is_asked(self, node: ast.ClassDef) -> bool:
        """Whether a class tests an exercise and has a public test, of its own or of a base."""
        marked = any(_name(decorator) == _EXERCISE for decorator in node.decorator_list)
        return marked and any(_is_public(test) for base in self._line(node) for test in _functions(base))

    def _line(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """The class and those of its bases that stand in the same file."""
        bases = [self._classes[name] for base in node.bases if (name := _name(base)) in self._classes]
        return [node, *(each for base in bases for each in self._line(base))]

    def _members(self, node: ast.ClassDef) -> list[ast.stmt]:
        """What a class keeps: its public tests, and what these ask of `self`."""
        return [m for m in node.body if _is_public(m) or (not _is_test(m) and _defines(m) & self._asked)]

    def _asked_of_self(self) -> set[str]:
        """What the public tests ask of `self`, and what that asks of it in turn, in any of the classes."""
        tests = [test for name in self._holders for test in _functions(self._classes[name]) if _is_public(test)]
        asked = _attributes(tests)
        while more := _attributes(m for name in self._holders for m in self._others(name, asked)) - asked:
            asked |= more
        return asked

    def _others(self, name: str, asked: set[str]) -> list[ast.stmt]:
        return [member for member in self._classes[name].body if _defines(member) & asked and not _is_test(member)]

    def _reachable(self) -> set[str]:
        """The names of the module that the public tests use, and those that these use in turn."""
        known = {name: node for node in self._tree.body for name in _defines(node)}
        found: set[str] = set()
        waiting = [node.name for node in self._suites]
        while waiting:
            name = waiting.pop()
            if name in found or name not in known:
                continue
            found.add(name)
            waiting += self._uses(known[name])
        return found

    def _uses(self, node: ast.stmt) -> set[str]:
        if isinstance(node, ast.ClassDef) and node.name in self._holders:
            parts: list[ast.AST] = [*node.decorator_list, *node.bases, *self._members(node)]
            return {name for part in parts for name in _names(part)}
        return _names(node)

    def _reduced(self, node: ast.ClassDef) -> str:
        head = self._lines[_first_line(node) - 1 : _first_line(node.body[0]) - 1]
        members = ["\n".join(self._written(member)).rstrip() for member in self._members(node)]
        body = "\n\n".join(members) or "    pass"
        return "\n".join(line for line in head if line.strip()) + f"\n{body}\n"

    def _written(self, node: ast.stmt) -> list[str]:
        return self._lines[_first_line(node) - 1 : node.end_lineno]


def _without_comments(text: str) -> str:
    """The text with its comments blanked out; lines keep their numbers."""
    lines = text.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    return "\n".join(lines)


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _functions(node: ast.ClassDef) -> list[ast.FunctionDef]:
    return [member for member in node.body if isinstance(member, ast.FunctionDef)]


def _is_public(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any(_name(mark) == PUBLIC for mark in node.decorator_list)


def _is_test(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test_")


def _name(node: ast.expr) -> str:
    """The plain name of a decorator or a base, with or without arguments."""
    called = node.func if isinstance(node, ast.Call) else node
    return called.id if isinstance(called, ast.Name) else ""


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _attributes(nodes: Iterable[ast.AST]) -> set[str]:
    """What is asked of `self`."""
    return {
        part.attr
        for node in nodes
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "self"
    }


def _defines(node: ast.stmt) -> set[str]:
    """The names that a statement of a module or class binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    if isinstance(node, ast.Assign):
        return {name for target in node.targets for name in _names(target)}
    return _names(node.target) if isinstance(node, ast.AnnAssign) else set()
