"""Top-level functions of a Python text, found through its syntax tree: nothing is imported or executed."""

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FunctionText:
    """One top-level function as it is written.

    Lines count from 1 and `first_line` is that of the first decorator. `signature` runs from `def` to the colon,
    `docstring` is the literal as written with its indentation ("" if there is none).
    """

    name: str
    first_line: int
    last_line: int
    signature: str
    docstring: str
    node: ast.FunctionDef


def parse(text: str, filename: str = "<unknown>") -> ast.Module:
    """`ast.parse` without the warnings that odd escapes in somebody's source would raise. Raises SyntaxError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, filename)


def functions(text: str, tree: ast.Module | None = None) -> dict[str, FunctionText]:
    """The top-level functions of a text by name; of several with one name the last, as Python binds it.

    Lines of `text` end in a line feed. Raises SyntaxError unless `tree` is given.
    """
    lines = text.split("\n")
    tree = parse(text) if tree is None else tree
    nodes = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name: _function_text(node, lines) for node in nodes}


def lines_between(text: str, first: int, last: int) -> str:
    """The lines `first` to `last` of a text, counted from 1, both included."""
    return "\n".join(text.split("\n")[first - 1 : last])


def import_lines(tree: ast.Module) -> dict[str, str]:
    """The names that top-level imports bind, each with an import statement that binds just this name."""
    return {name: line for node in tree.body for name, line in _imports_of(node)}


def names_in(*nodes: ast.AST | None) -> set[str]:
    """Every plain name that the nodes use."""
    return {part.id for node in nodes if node is not None for part in ast.walk(node) if isinstance(part, ast.Name)}


def signature_names(node: ast.FunctionDef) -> set[str]:
    """The names that a signature's annotations and defaults use."""
    return names_in(node.args, node.returns)


def _function_text(node: ast.FunctionDef, lines: list[str]) -> FunctionText:
    docstring = node.body[0]
    written = ""
    if ast.get_docstring(node, clean=False) is not None:
        written = "\n".join(lines[docstring.lineno - 1 : docstring.end_lineno])
    return FunctionText(
        name=node.name,
        first_line=min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]),
        last_line=node.end_lineno or node.lineno,
        signature=_signature(lines[node.lineno - 1 : node.end_lineno]),
        docstring=written,
        node=node,
    )


def _signature(lines: list[str]) -> str:
    """The text from `def` to the colon that ends the signature: the first one outside all brackets."""
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline):
        if token.type != tokenize.OP:
            continue
        if token.string in "([{":
            depth += 1
        elif token.string in ")]}":
            depth -= 1
        elif token.string == ":" and depth == 0:
            row, column = token.end
            return "\n".join([*lines[: row - 1], lines[row - 1][:column]])
    raise ValueError("a function definition without a colon")  # ast has parsed it, so there is one


def _imports_of(node: ast.stmt) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            bound = alias.asname or alias.name.partition(".")[0]
            yield bound, f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")
    elif isinstance(node, ast.ImportFrom):
        source = "." * node.level + (node.module or "")
        for alias in node.names:
            renamed = f" as {alias.asname}" if alias.asname else ""
            yield alias.asname or alias.name, f"from {source} import {alias.name}{renamed}"
