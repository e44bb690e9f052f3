"""A number is right within its tolerance, the bounds included, and a known slip is named only when it is one."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from grader.review.questions.draw import draw
from grader.review.questions.kinds import numeric
from grader.review.questions.model import AskBack, Call, Key, Mark, Param, Parameter, Question, Slip, Tolerance, Variant
from grader.review.questions.oracle import Oracle

Make = Callable[..., Question]


def marked(question: Question, key: Key, given: str) -> Mark:
    mark = numeric.mark(draw(question, "1"), key, given)
    assert isinstance(mark, Mark)
    return mark


@pytest.mark.parametrize(
    ("tolerance", "value", "right", "wrong"),
    [
        (Tolerance("atol", 0.02), 0.3, ["0.28", "0.32", "0.3", "3/10"], ["0.279", "0.3201", "-0.3"]),
        (Tolerance("atol", 0.005), 2.675, ["2.67", "2.68"], ["2.6699"]),
        (Tolerance("rtol", 0.01), 1.6487212707001282, ["1.65", "1.64", "1.6487"], ["1.63", "1.67"]),
        (Tolerance("rtol", 0.01), -200.0, ["-198", "-202"], ["-197.9", "200"]),
        (Tolerance("range", low=3, high=4.5), 3.7, ["3", "4.5", "3.9"], ["2.999", "4.51"]),
        (Tolerance("exact"), 124_439_808, ["124439808", "124439808.0", "124439808e0"], ["124439807", "124439808.5"]),
        (Tolerance("exact"), 2**60, [str(2**60), "2^60"], [str(2**60 + 1), "1.152921504606847e18"]),
        (Tolerance("exact"), 0.1 + 0.2, ["0.3", ".30"], ["0.301"]),
        (Tolerance("exact"), -6.0, ["-6", "\N{MINUS SIGN}6.0"], ["6"]),
        (Tolerance("exact"), 0.0, ["0", "-0", "0.0"], ["1e-30"]),
    ],
)
def test_the_bounds_of_a_tolerance_are_right(
    tolerance: Tolerance, value: float, right: list[str], wrong: list[str], make: Make
) -> None:
    question = make("numeric", value, tolerance=tolerance)
    for given in right:
        assert marked(question, Key(value, (), ""), given).right, given
    for given in wrong:
        assert marked(question, Key(value, (), ""), given).missed, given


@hypothesis.given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_a_correctly_rounded_decimal_is_right_within_half_its_last_place(value: float, places: int) -> None:
    tolerance = Tolerance("atol", 0.5 * 10**-places)
    assert numeric.accepts(tolerance, Fraction(f"{value:.{places}f}"), value)


@hypothesis.given(st.floats(-1e6, 1e6), st.fractions(-10, 10), st.sampled_from([0.5, 0.01, 1e-5]))
def test_within_means_no_further_away(value: float, off: Fraction, amount: float) -> None:
    near = abs(off) <= Fraction(str(amount)) * (1 - Fraction(1, 10**6))
    far = abs(off) > Fraction(str(amount)) * (1 + Fraction(1, 10**6)) + abs(Fraction(value)) / 10**11
    accepted = numeric.accepts(Tolerance("atol", amount), Fraction(value) + off, value)
    assert accepted >= near
    assert accepted <= (not far)


@pytest.mark.parametrize("given", ["1,024", "0,5", "", "three", "nan", "inf", "-\N{INFINITY}"])
def test_what_is_no_number_uses_no_attempt(given: str, make: Make) -> None:
    question = make("numeric", 1.0, tolerance=Tolerance("atol", 0.1))
    assert isinstance(numeric.mark(draw(question, "1"), Key(1.0, (), ""), given), AskBack)


def test_infinity_is_an_answer_where_the_answer_or_a_slip_is_infinite(make: Make) -> None:
    question = make("numeric", float("inf"), tolerance=Tolerance("atol", 0.1))
    assert marked(question, Key(float("inf"), (), ""), "inf").right
    assert marked(question, Key(float("inf"), (), ""), "-inf").missed
    assert marked(question, Key(float("inf"), (), ""), "3e300*3e300").missed
    assert marked(question, Key(1.0, ((float("inf"), "Not that."),), ""), "\N{INFINITY}").feedback == "Not that."


def test_the_first_slip_that_fits_is_named(make: Make) -> None:
    question = make("numeric", 1.0, tolerance=Tolerance("atol", 0.1))
    key = Key(1.0, ((2.0, "Two."), (2.05, "Almost two."), (3.0, "Three.")), "1")
    assert [marked(question, key, given).feedback for given in ("2", "2.14", "3", "9", "1")] == [
        "Two.",
        "Almost two.",
        "Three.",
        "",
        "",
    ]


def test_a_slip_beside_the_answer_is_never_reported(make: Make, oracle: Oracle) -> None:
    slips = tuple(Slip(value, str(value)) for value in (1.05, 1.0, 1.2))
    drawn = draw(make("numeric", 1.0, tolerance=Tolerance("atol", 0.1), also=slips), "1")
    key = numeric.key(drawn, oracle)
    assert key.slips == ((1.2, "1.2"),)
    # 1.15 is within the tolerance of 1.05, but nobody knows whether that slip was made.
    assert [marked(drawn.question, key, given).feedback for given in ("1.05", "1.15", "1.3")] == ["", "1.2", "1.2"]


def test_the_key_is_computed_with_the_drawn_numbers(make: Make, oracle: Oracle) -> None:
    question = make(
        "numeric",
        Call("reference.positions:alibi_slopes", {"n_heads": Parameter("h")}, (0,)),
        params=(Param("h", (4, 8)),),
        tolerance=Tolerance("atol", 0.001),
        also=(Slip(Variant("positions.alibi_slopes.heads-reversed"), "Head 1 of {h} is the steepest."),),
    )
    keys = {
        drawn.params["h"]: numeric.key(drawn, oracle) for drawn in (draw(question, f"{seed:x}") for seed in range(20))
    }
    assert keys[8] == Key(0.5, ((2**-8, "Head 1 of 8 is the steepest."),), "0.5")
    assert keys[4] == Key(0.25, ((2**-8, "Head 1 of 4 is the steepest."),), "0.25")


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (8.0, "atol", "8"),
        (-0.0, "atol", "0"),
        (1.7320508075688772, "atol", "1.73205"),
        (124_439_808, "exact", "124439808"),
        (0.1 + 0.2, "exact", "0.3"),
        (1.23456789e-7, "rtol", "1.23457e-07"),
        (float("-inf"), "atol", "-inf"),
    ],
)
def test_the_answer_is_shown_with_as_many_digits_as_needed(value: float, kind: Any, shown: str) -> None:
    assert numeric.written(value, Tolerance(kind, 0.01)) == shown


def test_the_line_says_what_to_type(make: Make) -> None:
    drawn = draw(make("numeric", 1.0, tolerance=Tolerance("rtol", 0.01)), "1")
    assert numeric.how_to_answer(drawn) == "Type a number (within 1 percent)."
