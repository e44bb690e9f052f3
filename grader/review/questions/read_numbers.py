"""The parts of a quiz file that are numbers: parameters and tolerances."""

import math
from collections.abc import Collection
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from grader.course import yaml12
from grader.course.reader import Table, kind_of, read_table
from grader.review.questions.model import Param, Tolerance

_NUMBERS = (yaml12.INT, yaml12.FLOAT)


def read_params(table: Table) -> tuple[Param, ...]:
    """`params`: names and, for each, `{low, high}` (whole numbers, both included) or `{choice: [...]}`."""
    node = table.nodes.get("params")
    if node is None:
        return ()
    if not isinstance(node, MappingNode):
        table.complain(yaml12.line_of(node), f"`params` is {kind_of(node)}; write a table of names")
        return ()
    params = []
    for key, value in node.value:
        name = str(key.value)
        if not (name.isidentifier() and name.isascii()):
            table.complain(yaml12.line_of(key), f"the parameter {name!r} in `params` is no name; write letters and _")
            continue
        values = _read_values(name, value, table)
        if values is not None:
            params.append(Param(name, values))
    return tuple(params)


def _read_values(name: str, node: Node, table: Table) -> tuple[Any, ...] | range | None:
    entry = read_table(node, table.path, f"the parameter `{name}`", ("low", "high", "choice"), table.mistakes)
    if not entry.readable:
        return None
    if set(entry.nodes) == {"choice"}:
        choice = entry.nodes["choice"]
        if not isinstance(choice, SequenceNode) or not choice.value:
            entry.complain(entry.line_of("choice"), f"`choice` of `{name}` is not a list of values")
            return None
        values = tuple(yaml12.plain(item) for item in choice.value)
        if len({repr(value) for value in values}) < len(values):
            entry.complain(entry.line_of("choice"), f"`choice` of `{name}` has a value twice; keep one")
        return values
    if set(entry.nodes) == {"low", "high"}:
        low, high = (_number(entry, key, (yaml12.INT,), "a whole number") for key in ("low", "high"))
        if low is None or high is None:
            return None
        if low > high:
            entry.complain(entry.line_of("low"), f"`low` of `{name}` is {low}, above `high`, {high}")
            return None
        return range(int(low), int(high) + 1)
    entry.complain(entry.line, f"the parameter `{name}` has neither `low` and `high` nor `choice` alone; write one")
    return None


def read_tolerance(table: Table, kinds: Collection[str]) -> Tolerance | None:
    """The one of `atol`, `rtol`, `range` and `exact` that a numeric question has."""
    given = [kind for kind in kinds if kind in table.nodes]
    if len(given) != 1:
        says = f"has {' and '.join(f'`{kind}`' for kind in given)}" if given else "has no tolerance"
        line = table.line_of(given[1]) if given else table.line
        table.complain(line, f"the question {says}; write exactly one of {', '.join(f'`{kind}`' for kind in kinds)}")
        return None
    kind = given[0]
    if kind == "exact":
        node = table.nodes[kind]
        if node.tag != yaml12.BOOL or not yaml12.plain(node):
            table.complain(table.line_of(kind), f"`exact` is {kind_of(node)}; write `exact: true`")
        return Tolerance("exact")
    if kind == "range":
        bounds = numbers(table.nodes[kind])
        if bounds is None or len(bounds) != 2 or not bounds[0] < bounds[1]:
            table.complain(table.line_of(kind), "`range` is not two numbers; write [low, high] with low below high")
            return None
        return Tolerance("range", low=bounds[0], high=bounds[1])
    amount = table.number(kind)
    return Tolerance("atol", amount) if kind == "atol" else Tolerance("rtol", amount)


def _number(table: Table, key: str, tags: tuple[str, ...], kind: str) -> float | None:
    node = table.nodes[key]
    if not isinstance(node, ScalarNode) or node.tag not in tags:
        table.complain(yaml12.line_of(node), f"`{key}` is {kind_of(node)}; write {kind}")
        return None
    number: float = yaml12.plain(node)
    return number


def numbers(node: Node) -> tuple[float, ...] | None:
    """A list of finite numbers, or None."""
    if not isinstance(node, SequenceNode) or any(item.tag not in _NUMBERS for item in node.value):
        return None
    values = tuple(yaml12.plain(item) for item in node.value)
    return values if all(math.isfinite(value) for value in values) else None


def whole_numbers(node: Node) -> tuple[int, ...] | None:
    """A list of whole numbers, or None."""
    if not isinstance(node, SequenceNode) or any(item.tag != yaml12.INT for item in node.value):
        return None
    return tuple(yaml12.plain(item) for item in node.value)
