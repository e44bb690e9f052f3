"""A shape is right in any writing of the same sizes, in numbers or in the question's own symbols."""

from collections.abc import Callable

import pytest

from grader.review.questions.draw import draw
from grader.review.questions.kinds import shape
from grader.review.questions.model import AskBack, Call, Drawn, Mark, Param, Parameter, Question, Slip, Variant
from grader.review.questions.oracle import Oracle

Make = Callable[..., Question]


@pytest.fixture
def symbols(make: Make) -> Drawn:
    slips = (Slip("B, T, D", "One for each head."), Slip("B, T*H, K", "Not merged like that."))
    return draw(make("shape", "B, H, T, K", prompt="B samples, H heads of width K, T tokens, D.", also=slips), "1")


@pytest.fixture
def numbers(make: Make) -> Drawn:
    slips = (Slip("{b}, {t}", "The last token has no target."), Slip("{b} * ({t} - 1)", "It stays a table."))
    params = (Param("b", (4,)), Param("t", (10,)))
    return draw(make("shape", "{b}, {t} - 1", prompt="({b}, {t})", params=params, also=slips), "1")


def marked(drawn: Drawn, given: str, oracle: Oracle) -> Mark:
    mark = shape.mark(drawn, shape.key(drawn, oracle), given)
    assert isinstance(mark, Mark)
    return mark


@pytest.mark.parametrize("given", ["4, 9", "(4, 9)", "[4,9]", "torch.Size([4, 9])", "4, 10 - 1", "2*2, 3**2", "4,9,"])
def test_numbers_are_compared_as_numbers(given: str, numbers: Drawn, oracle: Oracle) -> None:
    assert marked(numbers, given, oracle).right


def test_the_key_holds_numbers_and_shows_them_as_a_tuple(numbers: Drawn, oracle: Oracle) -> None:
    key = shape.key(numbers, oracle)
    assert (key.value, key.shown) == (("4", "9"), "(4, 9)")
    assert key.slips == ((("4", "10"), "The last token has no target."), (("36",), "It stays a table."))


def test_a_known_slip_gets_its_feedback_and_another_answer_none(numbers: Drawn, oracle: Oracle) -> None:
    assert marked(numbers, "(4, 10)", oracle).feedback == "The last token has no target."
    assert marked(numbers, "6*6", oracle).feedback == "It stays a table."
    assert marked(numbers, "9, 4", oracle).feedback == ""
    assert marked(numbers, "9, 4", oracle).missed


@pytest.mark.parametrize("given", ["B, H, T, K", "(b, h, t, k)", "B, H, T, 2*K - K", "B, H*T/T, T, K"])
def test_symbols_are_those_of_the_question_in_either_case(given: str, symbols: Drawn, oracle: Oracle) -> None:
    assert marked(symbols, given, oracle).right


def test_slips_are_compared_like_answers(symbols: Drawn, oracle: Oracle) -> None:
    assert marked(symbols, "b, h*t, k", oracle).feedback == "Not merged like that."


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("B, H, N, K", "The question has no `N`. Use its own names for the sizes."),
        ("", "Type the sizes with commas between them"),
        ("B H T K", "is not read as a shape"),
    ],
)
def test_a_name_that_the_question_does_not_use_costs_no_attempt(
    given: str, says: str, symbols: Drawn, oracle: Oracle
) -> None:
    asked = shape.mark(symbols, shape.key(symbols, oracle), given)
    assert isinstance(asked, AskBack)
    assert says in asked.says


def test_a_name_of_the_question_that_is_no_size_of_the_answer_is_wrong(symbols: Drawn, oracle: Oracle) -> None:
    assert marked(symbols, "B, H, T, D", oracle).missed


def test_names_that_differ_in_case_only_are_told_apart(make: Make, oracle: Oracle) -> None:
    drawn = draw(make("shape", "T, t", prompt="T queries and t keys."), "1")
    assert marked(drawn, "T, t", oracle).right
    assert marked(drawn, "t, T", oracle).missed


def test_symbols_are_asked_back_where_numbers_are_wanted(numbers: Drawn, oracle: Oracle) -> None:
    asked = shape.mark(numbers, shape.key(numbers, oracle), "B, T - 1")
    assert isinstance(asked, AskBack)
    assert asked.says == "`B` is not a number here. Type the sizes in numbers, as in 2, 3."


def test_the_shape_of_what_the_reference_returns(make: Make, oracle: Oracle) -> None:
    bias = Call("reference.positions:alibi_bias", {"n_heads": 12, "n_queries": Parameter("q"), "n_keys": 30})
    also = (
        Slip(Call(bias.ref, bias.args, (0,)), "And the heads?"),
        Slip(Variant("positions.alibi_bias.top-left"), "No."),
    )
    drawn = draw(make("shape", bias, params=(Param("q", (3,)),), also=also), "1")
    key = shape.key(drawn, oracle)
    # The second mistake changes numbers and no sizes: it cannot be told from the answer.
    assert (key.value, key.slips) == (("12", "3", "30"), ((("3", "30"), "And the heads?"),))


@pytest.mark.parametrize(("answer", "example"), [("{b}, 3", "2, 3"), ("B, T", "B, 2*T"), ("()", "2, 3")])
def test_the_line_shows_numbers_or_symbols(answer: str, example: str, make: Make) -> None:
    drawn = draw(make("shape", answer, params=(Param("b", (4,)),)), "1")
    assert shape.how_to_answer(drawn) == f"Type the sizes with commas between them, as in {example}."


def test_shapes_of_one_axis_and_none_are_shown_as_python_shows_them(make: Make, oracle: Oracle) -> None:
    assert shape.key(draw(make("shape", "7"), "1"), oracle).shown == "(7,)"
    assert shape.key(draw(make("shape", "()"), "1"), oracle).shown == "()"
    assert marked(draw(make("shape", "()"), "1"), "torch.Size([])", oracle).right
