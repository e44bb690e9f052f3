"""Source text to a syntax tree, with every failure kept as a record."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass

MAX_CHARACTERS = 150_000
"""A lesson module is some 10,000 characters; the tree of a text of ten million would take gigabytes."""

MAX_DEPTH = 400
"""Levels of nesting that the analysis follows; a chain of `elif` or of `+` adds one a link."""

_WINDOW = 100  # characters of a long line that are shown around the caret


@dataclass(frozen=True)
class SyntaxProblem:
    """Why a module cannot be read. `line` and `column` count from 1."""

    slug: str
    line: int
    column: int
    text_of_line: str
    message: str

    def render(self) -> str:
        """The problem with the line it stands in and a caret under the place."""
        where = f"student/{self.slug}.py, line {self.line}: {self.message}"
        if not self.text_of_line.strip():
            return where
        start = max(0, self.column - 1 - _WINDOW // 2) if len(self.text_of_line) > _WINDOW else 0
        shown = self.text_of_line[start : start + _WINDOW]
        # a tab stays a tab, so that the caret stands right at any tab width
        margin = "".join(c if c == "\t" else " " for c in shown[: max(0, self.column - 1 - start)])
        return f"{where}\n    {shown}\n    {margin}^"


class TooDeep(Exception):
    """Raised while a tree is walked whose nesting exceeds MAX_DEPTH."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def problem_at(slug: str, source: str, line: int, column: int, message: str) -> SyntaxProblem:
    """A problem at a place of a source text; a place beyond the text is moved to its end."""
    lines = source.splitlines() or [""]
    line = min(max(line, 1), len(lines))
    return SyntaxProblem(slug, line, min(max(column, 1), len(lines[line - 1]) + 1), lines[line - 1], message)


def too_deep(slug: str, source: str, line: int = 1) -> SyntaxProblem:
    """The problem of a text nested beyond what can be followed."""
    return problem_at(slug, source, line, 1, "the code is nested too deeply to be read")


def parse(slug: str, source: str) -> ast.Module | SyntaxProblem:
    """The tree of a source text, or why there is none. Never raises for any text."""
    text = source.removeprefix("\ufeff")
    if len(text) > MAX_CHARACTERS:
        size = f"{len(text):,} characters; at most {MAX_CHARACTERS:,} are read"
        return SyntaxProblem(slug, 1, 1, "", f"the file has {size}")
    if "\0" in text:
        before = text[: text.index("\0")]
        line = before.count("\n") + 1
        return SyntaxProblem(slug, line, len(before) - before.rfind("\n"), "", "there is a NUL character in the text")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a string is no reason to refuse a file
            return ast.parse(text)
    except SyntaxError as error:
        return problem_at(slug, text, error.lineno or 1, error.offset or 1, error.msg)
    except (RecursionError, MemoryError):
        return too_deep(slug, text)
    except ValueError as error:  # a lone surrogate, a number of too many digits
        return problem_at(slug, text, 1, 1, str(error))
