"""The same seed is the same question everywhere, and a new parameter or option disturbs nothing that was there."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.review.questions.draw import draw, draw_params, fill, placeholders, written
from grader.review.questions.model import Option, Param, Question

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)
PARAMS = st.lists(
    st.builds(Param, NAMES, st.builds(range, st.integers(0, 5), st.integers(6, 99))),
    max_size=6,
    unique_by=lambda param: param.name,
)


def question(params: tuple[Param, ...] = (), **parts: Any) -> Question:
    made = Question("positions-made", "positions", 1, "numeric", ("alibi",), "{a}", "Because.", 1.0, params=params)
    return replace(made, **parts)


@given(PARAMS, st.integers(0, 2**64))
def test_a_parameter_more_changes_no_other(params: list[Param], number: int) -> None:
    seed = f"{number:x}"
    drawn = draw_params(question(tuple(params)), seed)
    for param in params:
        assert draw_params(question((param,)), seed) == {param.name: drawn[param.name]}
    assert draw_params(question(tuple(reversed(params))), seed) == drawn


@given(st.lists(NAMES, min_size=2, max_size=6, unique=True), st.integers(0, 2**64))
def test_options_are_shuffled_by_the_seed_alone(ids: list[str], number: int) -> None:
    options = tuple(Option(name, name, False, "") for name in ids)
    order = [option.id for option in draw(question(options=options), f"{number:x}").options]
    again = [option.id for option in draw(question(options=options[::-1]), f"{number:x}").options]
    without = [option.id for option in draw(question(options=options[1:]), f"{number:x}").options]
    assert sorted(order) == sorted(ids)
    assert again == order
    assert without == [name for name in order if name != ids[0]]


def test_the_numbers_of_a_seed_are_the_same_on_every_machine() -> None:
    params = (Param("a", range(1, 1001)), Param("b", (0.5, 1.5, 2.5)))
    assert draw_params(question(params), "ab12") == draw_params(question(params), "ab12")
    assert draw_params(question(params), "0") == {"a": 756, "b": 1.5}


@pytest.mark.parametrize("change", [{"id": "positions-other"}, {"version": 2}])
def test_another_item_or_version_has_other_numbers(change: dict[str, Any]) -> None:
    params = (Param("a", range(10**9)),)
    assert draw_params(question(params), "1") != draw_params(question(params, **change), "1")


def test_every_value_is_drawn_about_as_often() -> None:
    params = (Param("a", range(2, 7)),)
    counts = Counter(draw_params(question(params), f"{seed:x}")["a"] for seed in range(2000))
    assert set(counts) == {2, 3, 4, 5, 6}
    assert min(counts.values()) > 300


def test_parameters_of_one_seed_are_independent() -> None:
    params = (Param("a", range(2)), Param("b", range(2)))
    pairs = Counter(tuple(draw_params(question(params), f"{seed:x}").values()) for seed in range(2000))
    assert len(pairs) == 4
    assert min(pairs.values()) > 400


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{a} of {b}", "3 of -0.5"),
        ("`x[{a}]` and {c}", "`x[3]` and [1, 2]"),
        ("$x^{a}$ is ${b}$", "$x^{3}$ is ${-0.5}$"),
        (r"$\sqrt{n}$ and {n}", r"$\sqrt{n}$ and {n}"),
        ("```python\nprint({a})\n```", "```python\nprint(3)\n```"),
        ("{} {1} {a b}", "{} {1} {a b}"),
    ],
)
def test_placeholders_are_filled_in_and_math_keeps_its_braces(text: str, filled: str) -> None:
    assert fill(text, {"a": 3, "b": -0.5, "c": [1, 2]}) == filled


def test_all_texts_of_a_drawn_question_hold_its_numbers(make: Callable[..., Question]) -> None:
    made = make(
        "choice",
        "it",
        prompt="{a}?",
        explanation="{a}.",
        hints=("Not {a}",),
        options=(Option("it", "{a}", True, "{a}!"),),
        params=(Param("a", (7,)),),
    )
    drawn = draw(made, "0")
    assert (drawn.prompt, drawn.explanation, drawn.hints) == ("7?", "7.", ("Not 7",))
    assert (drawn.options[0].text, drawn.options[0].feedback) == ("7", "7!")


def test_placeholders_are_looked_for_in_prose_and_code_spans() -> None:
    assert list(placeholders("{a} `{b}` $x_{c}$\n```python\nf'{d}'\n```\n{e}")) == ["a", "b", "e"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.0, "2.0"), (1e-5, "1e-5"), (1e16, "1e16"), ([0.5, -1e-7], "[0.5, -1e-7]"), ("llama", "llama"), (True, "True")],
)
def test_values_are_written_as_a_learner_would(value: Any, text: str) -> None:
    assert written(value) == text
