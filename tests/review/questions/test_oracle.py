"""The reference and the catalogue answer in plain numbers; what cannot be answered names file, line and item."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.course.mistakes import CourseErrors
from grader.review.questions.model import Call, Parameter, Place, TensorLiteral, Variant
from grader.review.questions.oracle import Oracle

PLACE = Place(Path("lessons/positions/quiz.yaml"), 7, "positions-made")


def call(name: str, args: Mapping[str, Any], *at: int | str | Parameter) -> Call:
    return Call(f"reference.{name}", args, at, PLACE)


SLOPE = call("positions:alibi_slopes", {"n_heads": Parameter("h")}, Parameter("i"))


def test_a_value_is_a_plain_number(oracle: Oracle) -> None:
    value = oracle.value(SLOPE, {"h": 8, "i": 1})
    assert type(value) is float
    assert value == 0.25


def test_a_count_stays_a_whole_number(oracle: Oracle) -> None:
    value = oracle.value(call("feedforward:swiglu_hidden_width", {"d_model": 96, "multiple_of": 32}), {})
    assert (value, type(value)) == (256, int)


def test_a_float32_is_the_shortest_decimal_that_means_it(oracle: Oracle) -> None:
    table = TensorLiteral([[0.1], [0.2]], "float32")
    one = call("objective:embed", {"tokens": TensorLiteral([1], "int64"), "table": table}, 0, 0)
    assert oracle.value(one, {}) == 0.2


def test_the_shape_is_that_of_the_tensor_which_at_leads_to(oracle: Oracle) -> None:
    assert oracle.shape(call("positions:alibi_bias", {"n_heads": 4, "n_queries": 2, "n_keys": 5}), {}) == (4, 2, 5)
    assert oracle.shape(call("positions:alibi_bias", {"n_heads": 4, "n_queries": 2, "n_keys": 5}, 0), {}) == (2, 5)


def test_results_are_followed_through_tuples_and_tables(oracle: Oracle) -> None:
    gradients = {"w": TensorLiteral([3, Parameter("a")], "float64")}
    clip = {"gradients": gradients, "max_norm": 1.0}
    assert oracle.value(call("training:clip_gradients", clip, 0, "w", 0), {"a": 4}) == pytest.approx(0.6)
    assert oracle.value(call("training:clip_gradients", clip, 1), {"a": 4}) == pytest.approx(5.0)


def test_a_mistake_is_made_on_the_same_call(oracle: Oracle) -> None:
    reversed_heads = Variant("positions.alibi_slopes.heads-reversed", PLACE)
    assert oracle.wrong(reversed_heads, SLOPE, {"h": 8, "i": 0}) == oracle.value(SLOPE, {"h": 8, "i": 7})
    assert oracle.wrong("positions.alibi_slopes.heads-reversed", SLOPE, {"h": 8, "i": 7}) == 0.5


def test_a_call_that_writes_into_its_arguments_harms_no_other(oracle: Oracle) -> None:
    writes = "normalization.layer_norm.changes-x"
    x = {"x": TensorLiteral([1.0, 2.0, 6.0], "float64")}
    norm = call(
        "normalization:layer_norm", {**x, **{k: TensorLiteral([1.0] * 3, "float64") for k in ("gamma", "beta")}}, 0
    )
    before = oracle.value(norm, {})
    oracle.wrong(writes, norm, {})
    assert oracle.value(norm, {}) == before


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (
            call("positions:alibi_slope", {}),
            "`ref` is reference.positions:alibi_slope, but reference.positions has no function",
        ),
        (
            call("position:alibi_slopes", {}),
            "`ref` is reference.position:alibi_slopes, but there is no module reference.position",
        ),
        (call("positions:alibi_slopes", {"heads": 8}), "reference.positions:alibi_slopes raises TypeError"),
        (call("positions:alibi_slopes", {"n_heads": 8}), "the result has the shape (8,); say with `at` which number"),
        (
            call("positions:alibi_slopes", {"n_heads": 8}, 8),
            "`at` does not fit what reference.positions:alibi_slopes returns: no 8 in a tensor of shape (8,)",
        ),
        (
            call("training:clip_gradients", {"gradients": {"w": TensorLiteral([1.0], "float64")}, "max_norm": 1.0}, 0),
            "the result is a value of type dict, not a number",
        ),
        (
            call("objective:embed", {"tokens": TensorLiteral([[1], [2, 3]], "int64"), "table": 1}),
            "is no tensor of int64",
        ),
    ],
)
def test_what_cannot_be_answered_names_file_line_and_item(broken: Call, says: str, oracle: Oracle) -> None:
    with pytest.raises(CourseErrors) as caught:
        oracle.value(broken, {})
    (mistake,) = caught.value.mistakes
    assert (mistake.path, mistake.line) == (PLACE.path, PLACE.line)
    assert mistake.says.startswith("positions-made: ")
    assert says in mistake.says


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("positions.alibi_slopes.upside-down", "but the catalogue of positions.alibi_slopes has no upside-down"),
        ("positions.alibi.heads-reversed", "but the catalogue has no exercise positions.alibi"),
        ("position.alibi_slopes.heads-reversed", "but there is no module grader.misconceptions.position"),
    ],
)
def test_an_unknown_mistake_is_named_where_it_stands(name: str, says: str, oracle: Oracle) -> None:
    variant = Variant(name, Place(PLACE.path, 31, PLACE.item))
    with pytest.raises(CourseErrors, match=says) as caught:
        oracle.wrong(variant, SLOPE, {"h": 8, "i": 0})
    assert caught.value.mistakes[0].line == 31


def test_a_result_without_a_shape_is_refused(oracle: Oracle) -> None:
    with pytest.raises(CourseErrors, match="the result is a value of type int, which has no shape"):
        oracle.shape(call("feedforward:swiglu_hidden_width", {"d_model": 96, "multiple_of": 32}), {})


def test_torch_is_imported_by_the_first_value_and_not_before() -> None:
    program = """
import sys
from grader.course.load import load_course
from grader.review.questions.load import load_quizzes
from grader.review.questions import lint, marking
from grader.review.questions.draw import draw
from grader.review.questions.oracle import Oracle
oracle = Oracle()
for quiz in load_quizzes(load_course()).values():
    for question in quiz:
        drawn = draw(question, "1")
        marking.how_to_answer(drawn)
        if question.kind not in ("numeric", "shape"):
            marking.mark(drawn, marking.key(drawn, oracle), "1")
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
