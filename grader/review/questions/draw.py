"""The numbers of a seed: each parameter from its own hash, so that a new one leaves the others as they are."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from grader.review.questions.model import Drawn, Param, Question

_PIECES = re.compile(r"(```.*?```|`[^`]*`|\$[^$]*\$)", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_LONG_EXPONENT = re.compile(r"e([-+])0+(\d)")


def draw(question: Question, seed: str) -> Drawn:
    """The question of that seed. The same seed gives the same question on every machine."""
    params = draw_params(question, seed)
    options = [
        replace(option, text=fill(option.text, params), feedback=fill(option.feedback, params))
        for option in question.options
    ]
    return Drawn(
        question=question,
        seed=seed,
        params=params,
        prompt=fill(question.prompt, params),
        # No parameter can be called that: a name has no space in it.
        options=tuple(sorted(options, key=lambda option: _hash(question, seed, f"option {option.id}"))),
        hints=tuple(fill(hint, params) for hint in question.hints),
        explanation=fill(question.explanation, params),
    )


def draw_params(question: Question, seed: str) -> dict[str, Any]:
    """The value of every parameter, by name."""
    return {param.name: _one_of(param, _hash(question, seed, param.name)) for param in question.params}


def _one_of(param: Param, number: int) -> Any:
    return param.values[number % len(param.values)]


def seed_that_counts(question: Question, seed: str) -> str:
    """The seed itself; where there are only so many draws, the number of the draw that it stands for."""
    if question.pool is None:
        return seed
    return str(int.from_bytes(hashlib.sha256(seed.encode()).digest()) % question.pool)


def fill(text: str, params: Mapping[str, Any]) -> str:
    """`{name}` of every parameter replaced by its value. In math the braces stay: they hold one argument together."""
    if not params or "{" not in text:
        return text
    return "".join(_filled(piece, params) for piece in _PIECES.split(text))


def _filled(piece: str, params: Mapping[str, Any]) -> str:
    around = "{%s}" if piece.startswith("$") else "%s"

    def value(match: re.Match[str]) -> str:
        return around % written(params[match[1]]) if match[1] in params else match[0]

    return _PLACEHOLDER.sub(value, piece)


def placeholders(text: str) -> Iterator[str]:
    """The names that stand as `{name}` in prose and code spans: in math and in snippets braces mean other things."""
    for piece in _PIECES.split(text):
        if not piece.startswith(("$", "```")):
            yield from _PLACEHOLDER.findall(piece)


def written(value: Any) -> str:
    """A drawn value as a text shows it: Python's own writing, but `1e-5` for `1e-05`."""
    return value if isinstance(value, str) else _LONG_EXPONENT.sub(r"e\1\2", repr(value)).replace("e+", "e")


def _hash(question: Question, seed: str, name: str) -> int:
    text = json.dumps([question.id, question.version, seed_that_counts(question, seed), name])
    return int.from_bytes(hashlib.sha256(text.encode()).digest())
