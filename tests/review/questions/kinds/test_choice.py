"""Options are typed as the letters that are shown or as their ids; ids are what is compared and logged."""

from collections.abc import Callable

import hypothesis
import pytest
from hypothesis import strategies as st
from made_questions import options

from grader.review.questions.draw import draw
from grader.review.questions.kinds import choice
from grader.review.questions.model import AskBack, Drawn, Mark, Option, Question
from grader.review.questions.oracle import Oracle

Make = Callable[..., Question]


@pytest.fixture
def single(make: Make) -> Question:
    return make("choice", "raise", options=options("raise", wrong=("zero", "not-a-number", "uniform")))


@pytest.fixture
def several(make: Make) -> Question:
    return make("multi", ("mean", "peak", "any"), options=options("mean", "peak", "any", wrong=("double", "global")))


def marked(drawn: Drawn, given: str) -> Mark:
    mark = choice.mark(drawn, choice.key(drawn, Oracle()), given)
    assert isinstance(mark, Mark), mark
    return mark


def letter_of(drawn: Drawn, name: str) -> str:
    return next(letter for letter, option in choice.lettered(drawn) if option.id == name)


@pytest.mark.parametrize("seed", [f"{number:x}" for number in range(12)])
def test_the_letter_follows_the_option_wherever_it_is_shown(seed: str, single: Question) -> None:
    drawn = draw(single, seed)
    letter = letter_of(drawn, "raise")
    for given in (letter, letter.upper(), f"{letter})", f" ({letter}) ", "raise", "RAISE"):
        mark = marked(drawn, given)
        assert (mark.right, mark.given, mark.feedback) == (True, "raise", "About raise.")
    wrong = marked(drawn, letter_of(drawn, "zero"))
    assert (wrong.score, wrong.missed, wrong.given, wrong.feedback) == (0.0, True, "zero", "About zero.")


@pytest.mark.parametrize("given", ["", " ", "e", "ab", "a b", "1", "none", "zer", "?", "a zero"])
def test_a_choice_is_one_of_the_letters_or_asked_again(given: str, single: Question) -> None:
    drawn = draw(single, "1")
    assert choice.mark(drawn, choice.key(drawn, Oracle()), given) == AskBack("Type one letter, a to d.")


@pytest.mark.parametrize(
    ("chosen", "score"),
    [
        (("mean", "peak", "any"), 1.0),
        (("mean", "peak"), 2 / 3),
        (("mean",), 1 / 3),
        (("mean", "peak", "any", "double"), 2 / 3),
        (("mean", "double"), 0.0),
        (("double", "global"), 0.0),
        (("mean", "peak", "any", "double", "global"), 1 / 3),
        ((), 0.0),
    ],
)
def test_several_score_hits_less_false_ones(chosen: tuple[str, ...], score: float, several: Question) -> None:
    drawn = draw(several, "7")
    mark = marked(drawn, " ".join(letter_of(drawn, name) for name in chosen) or "none")
    assert mark.score == pytest.approx(score)
    assert (mark.right, mark.missed) == (score == 1, score < 1)


def test_letters_may_be_written_in_any_way(several: Question) -> None:
    drawn = draw(several, "7")
    a, b = letter_of(drawn, "mean"), letter_of(drawn, "peak")
    for given in (
        f"{a} {b}",
        f"{b},{a}",
        f"{a}{b}",
        f"{a} and {b}",
        f"({b}) ({a})",
        f"{a}; {b}; {a}",
        "mean peak",
        f"{a} peak",
    ):
        assert marked(drawn, given).given == "mean peak"


@hypothesis.given(st.integers(0, 2**32), st.sets(st.sampled_from(["mean", "peak", "any", "double", "global"])))
def test_what_is_logged_does_not_depend_on_the_shuffle(number: int, chosen: set[str]) -> None:
    made = options("mean", "peak", "any", wrong=("double", "global"))
    question = Question("positions-made", "positions", 1, "multi", ("alibi",), "Which?", "So.", ("mean",), options=made)
    drawn = draw(question, f"{number:x}")
    mark = marked(drawn, "".join(letter_of(drawn, name) for name in chosen) or "none")
    assert mark.given == (" ".join(option.id for option in made if option.id in chosen) or "none")


def test_feedback_speaks_of_what_was_judged_wrongly(several: Question) -> None:
    drawn = draw(several, "7")
    a, b, c = (letter_of(drawn, name) for name in ("any", "double", "peak"))
    feedback = marked(drawn, f"mean {c} {b}").feedback
    assert sorted(feedback.split("\n\n")) == sorted([f"{a}) About any.", f"{b}) About double."])
    assert marked(drawn, "mean peak any").feedback == ""


def test_none_is_an_option_where_one_has_that_id(make: Make) -> None:
    question = make("multi", ("none",), options=options("none", wrong=("some",)))
    assert marked(draw(question, "1"), "none").right


def test_the_answer_is_shown_with_its_letters(several: Question) -> None:
    drawn = draw(several, "7")
    key = choice.key(drawn, Oracle())
    assert key.value == ("mean", "peak", "any")
    assert sorted(key.shown.split("\n\n")) == sorted(f"{letter_of(drawn, n)}) Text of {n}." for n in key.value)


def test_the_line_says_which_letters_there_are(single: Question, several: Question) -> None:
    assert choice.how_to_answer(draw(single, "1")) == "Type one letter, a to d."
    assert choice.how_to_answer(draw(several, "1")) == "Type the letters of all that apply, a to e, as in a e; or none."


def test_an_option_keeps_its_own_feedback(make: Make) -> None:
    made = (Option("it", "It.", True, "Yes."), Option("other", "Other.", False, "No."))
    assert marked(draw(make("choice", "it", options=made), "3"), "other").feedback == "No."
