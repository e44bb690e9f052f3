"""The parts of a quiz file that are answers: right ones and known slips, computed or written down."""

import re
from collections.abc import Iterable
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from grader.course import yaml12
from grader.course.reader import Table, kind_of, nearest, read_table
from grader.review.questions.model import Call, Kind, Literals, Option, Parameter, Place, Slip, TensorLiteral, Variant
from grader.review.questions.read_numbers import whole_numbers

DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "bool")
_REF = re.compile(r"reference\.[a-z_][a-z0-9_]*:[a-z_][a-z0-9_]*")
_MISCONCEPTION = re.compile(r"[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*\.[a-z0-9]+(?:-[a-z0-9]+)*")
COMPUTED: tuple[Kind, ...] = ("numeric", "shape")
"""The kinds whose answer the reference may compute."""
Names = frozenset[str]


def read_call(node: Node, table: Table, names: Names, item: str) -> Call | None:
    """The call of a `{ref, args, at}` table; None for an answer of another form."""
    if not isinstance(node, MappingNode):
        return None
    entry = read_table(node, table.path, "`answer`", ("ref", "args", "at"), table.mistakes)
    return _call(entry, names, item)


def _call(entry: Table, names: Names, item: str) -> Call:
    ref = entry.text("ref")
    if ref and not _REF.fullmatch(ref):
        says = f"`ref` is {ref!r}; write the function like `reference.positions:alibi_slopes`"
        entry.complain(entry.line_of("ref"), says)
    args: dict[str, Any] = {}
    node = entry.nodes.get("args")
    if node is None:
        entry.complain(entry.line, f"{entry.what} has no `args`; write `args:` and a table of arguments")
    elif not isinstance(node, MappingNode):
        entry.complain(yaml12.line_of(node), f"`args` is {kind_of(node)}; write a table of arguments by name")
    else:
        args = {str(key.value): _argument(value, entry, names) for key, value in node.value}
    return Call(ref, args, _read_at(entry, names), Place(entry.path, entry.line, item))


def _argument(node: Node, entry: Table, names: Names) -> Any:
    if isinstance(node, MappingNode):
        keys = {key.value: value for key, value in node.value}
        if "tensor" not in keys:
            return {str(key): _argument(value, entry, names) for key, value in keys.items()}
        tensor = read_table(node, entry.path, "the tensor", ("tensor", "dtype"), entry.mistakes)
        dtype = tensor.text("dtype")
        if dtype and dtype not in DTYPES:
            tensor.complain(tensor.line_of("dtype"), f"`dtype` is {dtype!r}, which is none; {nearest(dtype, DTYPES)}")
        return TensorLiteral(_argument(keys["tensor"], entry, names), dtype)
    if isinstance(node, SequenceNode):
        return [_argument(item, entry, names) for item in node.value]
    value = yaml12.plain(node)
    if isinstance(value, str) and value.startswith("$"):
        return _parameter(value, node, entry, names)
    return value


def _parameter(text: str, node: Node, entry: Table, names: Names) -> Parameter:
    name = text.removeprefix("$")
    if name not in names:
        entry.complain(yaml12.line_of(node), f"`{text}` is no parameter; {nearest(name, sorted(names))}")
    return Parameter(name)


def _read_at(entry: Table, names: Names) -> tuple[int | str | Parameter, ...]:
    node = entry.nodes.get("at")
    if node is None:
        return ()
    if not isinstance(node, SequenceNode) or any(item.tag not in (yaml12.INT, yaml12.STR) for item in node.value):
        entry.complain(yaml12.line_of(node), "`at` is not a list of indices and keys; write it like [0, 2]")
        return ()
    return tuple(_argument(item, entry, names) for item in node.value)


def read_slips(table: Table, kind: Kind, call: Call | None, names: Names, item: str) -> tuple[Slip, ...]:
    """`also`: wrong answers that are known beforehand, each with the feedback it gets."""
    if "also" not in table.nodes:
        return ()
    slips = []
    for entry in table.tables("also", "an entry of `also`", ("value", "feedback")):
        feedback, place = entry.text("feedback"), Place(entry.path, entry.line, item)
        node = entry.nodes.get("value")
        if node is None:
            entry.complain(entry.line, "an entry of `also` has no `value`; write the wrong answer")
            continue
        value = _slip_value(node, entry, kind, call, names, item)
        slips.append(Slip(value, feedback, place))
    return tuple(slips)


def _slip_value(
    node: Node, entry: Table, kind: Kind, call: Call | None, names: Names, item: str
) -> Call | Variant | Literals:
    if not isinstance(node, MappingNode) or kind not in COMPUTED:
        return literal_answer(node, entry, kind, (), key="value")
    value = read_table(node, entry.path, "`value`", ("wrong", "ref", "args", "at"), entry.mistakes)
    if "wrong" not in value.nodes:
        return _call(value, names, item)
    misconception, line = value.text("wrong"), value.line_of("wrong")
    for other in value.nodes.keys() - {"wrong"}:
        value.complain(value.line_of(other), f"`{other}` beside `wrong` has no meaning: the answer's own call is made")
    if call is None:
        value.complain(line, "`wrong` needs an `answer` that is computed with `ref`; write the value itself")
    elif misconception and not _MISCONCEPTION.fullmatch(misconception):
        says = f"`wrong` is {misconception!r}; write the mistake's id, like `{call.exercise}.some-mistake`"
        value.complain(line, says)
    elif misconception and call.ref and misconception.rpartition(".")[0] != call.exercise:
        says = f"`wrong` is {misconception}, but the answer calls {call.exercise}; name one of its mistakes"
        value.complain(line, says)
    return Variant(misconception, Place(value.path, line, item))


def literal_answer(
    node: Node | None, table: Table, kind: Kind, options: tuple[Option, ...], key: str = "answer"
) -> Literals:
    """An answer or a slip that is written down, in the form of its kind."""
    if node is None:
        return ""
    line = yaml12.line_of(node)
    if isinstance(node, MappingNode):
        if kind not in COMPUTED:
            table.complain(line, f"`{key}` of a {kind} question is not computed; write it down")
        return ""
    value = _form(node, kind)
    if value is None:
        table.complain(line, f"`{key}` is {kind_of(node)}; write {_FORMS[kind]}")
        return ""
    if kind in ("choice", "multi"):
        _check_options(value, options, table, line, key)
    if kind == "order" and isinstance(value, tuple) and sorted(value) != list(range(1, len(value) + 1)):
        table.complain(line, f"`{key}` is not an order of 1 to {len(value)}; write each number once")
    return value


_FORMS: dict[Kind, str] = {
    "choice": "the id of the right option",
    "multi": "the list of the ids of the right options",
    "numeric": "a number, or a table with `ref` and `args`",
    "shape": 'the sizes as a text, like "{b}, {t} - 1", or a table with `ref` and `args`',
    "order": "a list of whole numbers, like [3, 1, 2]",
    "short": "the list of the accepted spellings",
    "code": 'what is typed, as a text in "quotes"',
    "explain": "a list of 3 to 6 ideas",
}
_FEWEST_IDEAS, _MOST_IDEAS = 3, 6


def _form(node: Node, kind: Kind) -> Literals | None:
    match kind:
        case "numeric":
            return yaml12.plain(node) if node.tag in (yaml12.INT, yaml12.FLOAT) else None
        case "choice" | "shape" | "code":
            return _text(node)
        case "order":
            return whole_numbers(node) or None
        case "multi" | "short":
            return _texts(node) or None
        case "explain":
            ideas = _texts(node)
            return ideas if ideas and _FEWEST_IDEAS <= len(ideas) <= _MOST_IDEAS else None


def _text(node: Node) -> str | None:
    text = node.value.strip() if isinstance(node, ScalarNode) and node.tag == yaml12.STR else ""
    return text or None


def _texts(node: Node) -> tuple[str, ...] | None:
    texts: Iterable[str | None] = map(_text, node.value) if isinstance(node, SequenceNode) else (None,)
    found = tuple(text for text in texts if text is not None)
    return found if isinstance(node, SequenceNode) and len(found) == len(node.value) else None


def _check_options(value: Literals, options: tuple[Option, ...], table: Table, line: int, key: str) -> None:
    named = set(value) if isinstance(value, tuple) else {value}
    right = {option.id for option in options if option.right}
    if options and named != right:
        marked = ", ".join(sorted(right)) or "none"
        table.complain(line, f"`{key}` and `right: true` differ; the options marked right are: {marked}")
