"""Whether the course's way of calling a function can bind to the learner's parameters."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from grader.judge.source.scopes import FunctionNode


def signature_problem(node: FunctionNode, required: Sequence[str], optional: Sequence[str]) -> str | None:
    """Why `f(required..., optional=...)` could not be called, in one sentence; None if it could.

    Required parameters are passed by position, whatever the learner calls them; each optional one by keyword or not at
    all.
    """
    reason = _reason(node, required, optional)
    if reason is None:
        return None
    call = ", ".join([*required, *(f"{name}=..." for name in optional)])
    return f"`{node.name}` takes ({_shown(node.args)}) but the course calls {node.name}({call}): {reason}."


def _reason(node: FunctionNode, required: Sequence[str], optional: Sequence[str]) -> str | None:
    arguments = node.args
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    without_default = set(positional[: len(positional) - len(arguments.defaults)])
    keyword_only = {
        argument.arg: default for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    }
    taken, free = positional[: len(required)], positional[len(required) :]
    by_keyword = {*free, *keyword_only} - {argument.arg for argument in arguments.posonlyargs}
    if isinstance(node, ast.AsyncFunctionDef):
        return "it is an `async def`, which gives a coroutine instead of the answer"
    if len(taken) < len(required) and arguments.vararg is None:
        return f"it takes {_count(len(taken))} by position, not {len(required)}"
    for name in optional:
        if name in taken:
            return f"`{name}` stands among the first {len(required)}, which are passed by position"
        if name not in by_keyword and arguments.kwarg is None:
            return f"`{name}` cannot be passed by keyword" if name in free else f"it has no parameter `{name}`"
    open_ones = [name for name in free if name in without_default]
    open_ones += [name for name, default in keyword_only.items() if default is None]
    if open_ones:
        return f"`{open_ones[0]}` needs a default, as it is not always passed"
    return None


def other_defaults(node: FunctionNode, defaults: Mapping[str, object]) -> list[str]:
    """A sentence for each parameter whose default is written out and is another than the course's."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    written = [*zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True)]
    written += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    said = []
    for argument, default in written:
        if argument.arg not in defaults:
            continue
        try:
            value = ast.literal_eval(default)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue  # computed: only running it would tell
        if value != defaults[argument.arg]:
            said.append(f"Your default of {argument.arg} is {value!r}; the course's is {defaults[argument.arg]!r}.")
    return said


def _count(number: int) -> str:
    return f"{number} argument{'' if number == 1 else 's'}"


def _shown(arguments: ast.arguments) -> str:
    """A parameter list without annotations; of a default only that there is one."""
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    first_default = len(positional) - len(arguments.defaults)
    shown = [name if index < first_default else f"{name}=..." for index, name in enumerate(positional)]
    if arguments.posonlyargs:
        shown.insert(len(arguments.posonlyargs), "/")
    if arguments.vararg:
        shown.append(f"*{arguments.vararg.arg}")
    elif arguments.kwonlyargs:
        shown.append("*")
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        shown.append(argument.arg if default is None else f"{argument.arg}=...")
    if arguments.kwarg:
        shown.append(f"**{arguments.kwarg.arg}")
    return ", ".join(shown)
