"""Whether `f(required..., optional=...)` can bind to what the learner wrote."""

from __future__ import annotations

import pytest

from grader.judge.source import parse_submission

REQUIRED, OPTIONAL = ("x", "gamma", "beta"), ("eps",)

FINE = [
    "x, gamma, beta, eps=1e-5",
    "x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5",
    "a, b, c, eps=1e-5",
    "x, gamma, beta, *, eps=1e-5",
    "x, gamma, beta, /, eps=1e-5",
    "x, gamma, beta, /, *, eps=1e-5",
    "x, gamma, beta, dim=-1, eps=1e-5",
    "x, gamma, beta, eps=1e-5, dim=-1",
    "x, gamma=None, beta=None, eps=1e-5",
    "x, gamma, beta, **options",
    "x, *parameters, eps=1e-5",
    "*args, **kwargs",
    "*args, eps=1e-5",
    "x, gamma, beta, eps=1e-5, *rest",
    "x, gamma, beta, *rest, eps=1e-5",
    "x, gamma, beta, /, eps=1e-5, **rest",
]
NOT_FINE = {
    "x, g": "it takes 2 arguments by position, not 3",
    "x": "it takes 1 argument by position, not 3",
    "": "it takes 0 arguments by position, not 3",
    "x, gamma, eps=1e-5": "`eps` stands among the first 3, which are passed by position",
    "x, gamma, beta": "it has no parameter `eps`",
    "x, gamma, beta, epsilon=1e-5": "it has no parameter `eps`",
    "x, gamma, beta, eps": "`eps` needs a default, as it is not always passed",
    "x, gamma, beta, *, eps": "`eps` needs a default, as it is not always passed",
    "x, gamma, beta, dim, eps=1e-5": "`dim` needs a default, as it is not always passed",
    "x, gamma, beta, *, dim, eps=1e-5": "`dim` needs a default, as it is not always passed",
    "x, gamma, beta, eps=1e-5, /": "`eps` cannot be passed by keyword",
    "x, eps, gamma, beta": "`eps` stands among the first 3, which are passed by position",
    "x, eps=1e-5, *rest": "`eps` stands among the first 3, which are passed by position",
    "x, *, gamma, beta, eps=1e-5": "it takes 1 argument by position, not 3",
    "*args": "it has no parameter `eps`",
    "**kwargs": "it takes 0 arguments by position, not 3",
}


def problem(parameters: str, definition: str = "def layer_norm({}): return 0") -> str | None:
    source = parse_submission({"normalization": definition.format(parameters)})
    return source.signature_problem("normalization", "layer_norm", REQUIRED, OPTIONAL)


@pytest.mark.parametrize("parameters", FINE)
def test_these_parameters_take_the_call(parameters: str) -> None:
    assert problem(parameters) is None


@pytest.mark.parametrize(("parameters", "reason"), NOT_FINE.items())
def test_these_parameters_do_not(parameters: str, reason: str) -> None:
    found = problem(parameters)
    assert found is not None
    assert found.endswith(f": {reason}.")


def test_the_problem_is_one_sentence_that_shows_both_sides() -> None:
    assert problem("x, g: Tensor") == (
        "`layer_norm` takes (x, g) but the course calls layer_norm(x, gamma, beta, eps=...): "
        "it takes 2 arguments by position, not 3."
    )
    shown = problem("a, /, b=1, *c, d, e=2, **f")
    assert shown is not None
    assert shown.startswith("`layer_norm` takes (a, /, b=..., *c, d, e=..., **f) but")


def test_a_coroutine_is_no_answer() -> None:
    found = problem("x, gamma, beta, eps=1e-5", "async def layer_norm({}): return 0")
    assert found is not None
    assert "async def" in found


def test_a_stub_has_a_signature_too() -> None:
    assert problem("x", "def layer_norm({}): raise NotImplementedError") is not None


@pytest.mark.parametrize(
    "text",
    [
        "layer_norm = lambda: 0",
        "@wrapped\ndef layer_norm(): return 0",
        "from .other import layer_norm",
        "class layer_norm: pass",
        "x = 1",
    ],
)
def test_what_is_no_plain_function_cannot_be_judged(text: str) -> None:
    source = parse_submission({"normalization": text})
    assert source.signature_problem("normalization", "layer_norm", REQUIRED, OPTIONAL) is None


def test_no_optional_parameters() -> None:
    source = parse_submission({"heads": "def merge_heads(x): return x"})
    assert source.signature_problem("heads", "merge_heads", ["x"], []) is None
    assert source.signature_problem("heads", "merge_heads", [], []) is not None
