"""What the words for a tolerance are, and what a mark without halves says."""

import pytest

from grader.review.questions.model import Call, Tolerance, decimal, right_or_wrong


@pytest.mark.parametrize(
    ("tolerance", "says"),
    [
        (Tolerance("atol", 0.02), "within 0.02"),
        (Tolerance("atol", 1), "within 1"),
        (Tolerance("atol", 1e-5), "within 0.00001"),
        (Tolerance("rtol", 0.01), "within 1 percent"),
        (Tolerance("rtol", 0.005), "within 0.5 percent"),
        (Tolerance("rtol", 0.07), "within 7 percent"),
        (Tolerance("range", low=3, high=4.5), "between 3 and 4.5"),
        (Tolerance("exact"), "exact"),
    ],
)
def test_a_tolerance_says_what_is_accepted(tolerance: Tolerance, says: str) -> None:
    assert tolerance.says == says


def test_a_decimal_has_no_exponent_and_no_zeros_at_its_end() -> None:
    assert [decimal(number) for number in (0.5, 2.0, 100, 1e-7)] == ["0.5", "2", "100", "0.0000001"]


def test_a_wrong_answer_is_missed_and_a_right_one_is_not() -> None:
    right, wrong = right_or_wrong(True, "", "3"), right_or_wrong(False, "No.", "4")
    assert (right.score, right.right, right.missed) == (1.0, True, False)
    assert (wrong.score, wrong.right, wrong.missed, wrong.feedback) == (0.0, False, True, "No.")


def test_a_call_knows_the_exercise_whose_reference_it_is() -> None:
    assert Call("reference.positions:alibi_slopes", {}).exercise == "positions.alibi_slopes"
