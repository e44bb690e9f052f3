"""A term is right in any case, with or without hyphens, spaces, quotes and articles."""

from collections.abc import Callable

import pytest

from grader.review.questions.draw import draw
from grader.review.questions.kinds import short
from grader.review.questions.model import AskBack, Mark, Question, Slip
from grader.review.questions.oracle import Oracle

Make = Callable[..., Question]


@pytest.fixture
def question(make: Make) -> Question:
    slips = (Slip(("top-k", "top k"), "Top-k keeps a number."), Slip(("temperature",), "That keeps all."))
    return make("short", ("top-p", "nucleus sampling"), also=slips)


def marked(question: Question, given: str) -> Mark | AskBack:
    drawn = draw(question, "1")
    return short.mark(drawn, short.key(drawn, Oracle()), given)


@pytest.mark.parametrize(
    "given",
    [
        "top-p",
        "Top P",
        "TOPP",
        " top_p ",
        "the top-p",
        '"top-p"',
        "top\N{EN DASH}p",
        "Nucleus Sampling",
        "a nucleus-sampling.",
    ],
)
def test_the_writing_of_a_term_does_not_matter(given: str, question: Question) -> None:
    assert marked(question, given) == Mark(1.0, True, False, "", given.strip())


@pytest.mark.parametrize(
    ("given", "feedback"), [("TOP-K", "Top-k keeps a number."), ("the temperature", "That keeps all."), ("beam", "")]
)
def test_a_known_wrong_term_gets_its_feedback(given: str, feedback: str, question: Question) -> None:
    assert marked(question, given) == Mark(0.0, False, True, feedback, given)


@pytest.mark.parametrize("given", ["", "  ", "-", "the", "'"])
def test_nothing_is_asked_back(given: str, question: Question) -> None:
    assert marked(question, given) == AskBack("Type a word or two.")


def test_articles_go_as_words_and_not_as_letters() -> None:
    assert short.normal("a theta") == "theta"
    assert short.normal("an attention") == "attention"


def test_the_first_spelling_is_shown(question: Question) -> None:
    assert short.key(draw(question, "1"), Oracle()).shown == "top-p"
