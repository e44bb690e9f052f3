"""YAML 1.2 (core schema) on top of PyYAML's fast parser.

PyYAML resolves plain scalars by YAML 1.1, where `1e-5` is text, `no` is False and `12:30` is 750. Here they are a
float and two texts, duplicate keys are refused, and every node keeps its mark for messages.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from grader.course.mistakes import Mistake

NULL, BOOL, INT, FLOAT, STR, SEQ, MAP = (
    f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float", "str", "seq", "map")
)
_KNOWN_TAGS = {NULL, BOOL, INT, FLOAT, STR, SEQ, MAP}

# YAML 1.2.2, section 10.3.2, with the first characters under which PyYAML looks each one up.
_CORE_SCHEMA = (
    (NULL, r"(?:null|Null|NULL|~|)", ["n", "N", "~", ""]),
    (BOOL, r"(?:true|True|TRUE|false|False|FALSE)", list("tTfF")),
    (INT, r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)", list("-+0123456789")),
    (FLOAT, r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", list("-+.0123456789")),
    (FLOAT, r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))", list("-+.")),
)


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    table: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for tag, pattern, first_characters in _CORE_SCHEMA:
        for character in first_characters:
            table.setdefault(character, []).append((tag, re.compile(rf"\A{pattern}\Z")))
    return table


def core_loader(base: type[Any]) -> type[Any]:
    """The PyYAML loader class `base` with YAML 1.2's core schema in place of YAML 1.1's."""
    return type("CoreLoader", (base,), {"yaml_implicit_resolvers": _resolvers()})


# The C parser is a compile-time option of PyYAML: without it the same nodes come from the slower one.
CoreLoader = core_loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def read_nodes(path: Path, mistakes: list[Mistake], loader: type[Any] = CoreLoader) -> Node | None:
    """The root node of a YAML file, or None after adding to `mistakes` why it cannot be read.

    Duplicate keys, keys that are not plain, tags other than the core schema's and nodes that contain themselves are
    mistakes too; the tree is returned then, so that the caller can look for more.
    """
    text = read_text(path, mistakes)
    if text is None:
        return None
    try:
        root: Node | None = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        says = ", ".join(part for part in (error.context, error.problem) if part)
        mistakes.append(Mistake(path, mark.line + 1 if mark else 0, f"this is not YAML: {says}"))
        return None
    except yaml.YAMLError as error:
        first_line = str(error).splitlines()[0]
        mistakes.append(Mistake(path, 0, f"this is not YAML: {first_line}"))
        return None
    except RecursionError:
        mistakes.append(Mistake(path, 0, "this is not YAML that can be read: it is nested too deeply"))
        return None
    if root is None:
        mistakes.append(Mistake(path, 0, "the file is empty"))
        return None
    faults = [Mistake(path, line_of(node), says) for node, says in _tree_faults(root, (), set())]
    mistakes.extend(faults)
    return root


def read_text(path: Path, mistakes: list[Mistake]) -> str | None:
    """The text of a course file, or None after adding to `mistakes` why it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        mistakes.append(Mistake(path, 0, "the file is missing"))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        mistakes.append(Mistake(path, line, "this line is not UTF-8; save the file as UTF-8"))
    except OSError as error:
        mistakes.append(Mistake(path, 0, f"the file cannot be read: {error.strerror or error}"))
    return None


def line_of(node: Node) -> int:
    """The line a node starts on; 1 is the first."""
    line: int = node.start_mark.line
    return line + 1


def plain(node: Node) -> Any:
    """The node as None, bool, int, float, str, list or dict. Raises ValueError for a scalar its own tag does not fit.

    For trees that `read_nodes` found no mistake in.
    """
    if isinstance(node, MappingNode):
        return {plain(key): plain(value) for key, value in node.value}
    if isinstance(node, SequenceNode):
        return [plain(item) for item in node.value]
    return _scalar(node.tag, node.value)


def _scalar(tag: str, text: str) -> bool | int | float | str | None:
    if tag == NULL:
        return None
    if tag == BOOL:
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{text!r} is neither true nor false")
        return text.lower() == "true"
    if tag == INT:
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text, base)
    if tag == FLOAT:
        lowered = text.lower()
        if lowered.endswith(".inf"):
            return -math.inf if lowered.startswith("-") else math.inf
        return math.nan if lowered == ".nan" else float(text)
    return text


def _tree_faults(node: Node, above: tuple[int, ...], seen: set[int]) -> Iterator[tuple[Node, str]]:
    if id(node) in above:
        yield node, "this node contains itself through an alias; write it out"
        return
    if id(node) in seen:
        return
    seen.add(id(node))
    if node.tag not in _KNOWN_TAGS:
        yield node, f"the tag {node.tag} is not used here; leave it out"
        return
    above = (*above, id(node))
    if isinstance(node, ScalarNode):
        yield from _scalar_faults(node)
    elif isinstance(node, SequenceNode):
        for item in node.value:
            yield from _tree_faults(item, above, seen)
    elif isinstance(node, MappingNode):
        yield from _key_faults(node)
        for _, value in node.value:
            yield from _tree_faults(value, above, seen)


def _scalar_faults(node: ScalarNode) -> Iterator[tuple[Node, str]]:
    try:
        _scalar(node.tag, node.value)
    except ValueError as error:
        yield node, f"this value cannot be read: {error}"


def _key_faults(node: MappingNode) -> Iterator[tuple[Node, str]]:
    lines: dict[str, int] = {}
    for key, _ in node.value:
        if not isinstance(key, ScalarNode):
            yield key, "a key must be plain text"
        elif key.value in lines:
            yield key, f"the key `{key.value}` is here a second time (first in line {lines[key.value]}); keep one"
        else:
            lines[key.value] = line_of(key)
