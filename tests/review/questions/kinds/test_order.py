"""An order is a permutation, typed with or without spaces; anything else is asked back."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.review.questions.draw import draw
from grader.review.questions.kinds import order
from grader.review.questions.model import AskBack, Mark, Question, Slip
from grader.review.questions.oracle import Oracle

Make = Callable[..., Question]


@pytest.mark.parametrize(
    "given", ["3 1 2", "3,1,2", "3, 1, 2", "312", " 3  1 2 ", "[3, 1, 2]", "3-1-2", "3. 1. 2.", "3 > 1 > 2"]
)
def test_an_order_reads_the_same_in_every_writing(given: str) -> None:
    assert order.read_order(given, 3) == (3, 1, 2)


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ("", 3),
        ("3 1", 3),
        ("3 1 1", 3),
        ("31", 3),
        ("3 1 2 4", 3),
        ("0 1 2", 3),
        ("c a b", 3),
        ("3 1 two", 3),
        ("12345678910", 10),
    ],
)
def test_what_is_no_permutation_is_asked_back(given: str, count: int) -> None:
    asked = order.read_order(given, count)
    assert isinstance(asked, AskBack)
    assert f"Type the numbers 1 to {count} in order, each once" in asked.says


def test_the_missing_steps_are_named() -> None:
    asked = order.read_order("1 2 2 5", 5)
    assert isinstance(asked, AskBack)
    assert asked.says.startswith("3, 4 are missing. Type the numbers 1 to 5")


@given(st.integers(2, 9).flatmap(lambda count: st.permutations(range(1, count + 1))))
def test_every_permutation_is_read_with_and_without_spaces(steps: list[int]) -> None:
    assert order.read_order(" ".join(map(str, steps)), len(steps)) == tuple(steps)
    assert order.read_order("".join(map(str, steps)), len(steps)) == tuple(steps)


@given(st.text(max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    read = order.read_order(text, 4)
    assert isinstance(read, AskBack) or sorted(read) == [1, 2, 3, 4]


def test_only_the_whole_order_is_right(make: Make) -> None:
    question = make("order", (2, 4, 1, 3), also=(Slip((2, 4, 3, 1), "Three reads what one writes."),))
    drawn = draw(question, "1")
    key = order.key(drawn, Oracle())
    marks = {given: order.mark(drawn, key, given) for given in ("2 4 1 3", "2431", "1 2 3 4", "2 1 3 4")}
    assert marks["2 4 1 3"] == Mark(1.0, True, False, "", "2 4 1 3")
    assert marks["2431"] == Mark(0.0, False, True, "Three reads what one writes.", "2 4 3 1")
    assert marks["1 2 3 4"] == Mark(0.0, False, True, "Step 1 is not the first.", "1 2 3 4")
    assert marks["2 1 3 4"] == Mark(
        0.0, False, True, "The first step is in place; step 1 does not come next.", "2 1 3 4"
    )
    assert key.shown == "2 4 1 3"
    assert order.how_to_answer(drawn) == "Type the numbers 1 to 4 in the right order, with spaces between them."
