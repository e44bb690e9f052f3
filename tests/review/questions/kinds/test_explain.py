"""An explanation is rated by its author: the share of the ideas that were in it."""

from collections.abc import Callable

import pytest

from grader.review.questions.draw import draw
from grader.review.questions.kinds import explain
from grader.review.questions.model import AskBack, Mark, Param, Question
from grader.review.questions.oracle import Oracle

Make = Callable[..., Question]


@pytest.fixture
def question(make: Make) -> Question:
    return make("explain", ("One {n}.", "Two.", "Three.", "Four.", "Five."), params=(Param("n", (7,)),))


def marked(question: Question, given: str) -> Mark | AskBack:
    drawn = draw(question, "1")
    return explain.mark(drawn, explain.key(drawn, Oracle()), given)


@pytest.mark.parametrize(
    ("given", "score", "logged"),
    [
        ("1 3 4", 0.6, "1 3 4"),
        ("4,3,1", 0.6, "1 3 4"),
        ("134", 0.6, "1 3 4"),
        ("1, 3 and 4", 0.6, "1 3 4"),
        ("3 3", 0.2, "3"),
        ("none", 0.0, "none"),
        ("ALL", 1.0, "1 2 3 4 5"),
        ("1 2 3 5", 0.8, "1 2 3 5"),
    ],
)
def test_the_score_is_the_share_of_the_ideas(given: str, score: float, logged: str, question: Question) -> None:
    mark = marked(question, given)
    assert isinstance(mark, Mark)
    assert mark.score == pytest.approx(score)
    assert mark.given == logged
    assert (mark.right, mark.missed) == (score >= 0.8, score < 0.8)


@pytest.mark.parametrize("given", ["", "0", "6", "one", "1 2 9", "yes", "16"])
def test_what_names_no_ideas_is_asked_back(given: str, question: Question) -> None:
    asked = marked(question, given)
    assert isinstance(asked, AskBack)
    assert "from 1 to 5" in asked.says


def test_the_ideas_that_were_left_out_are_told(question: Question) -> None:
    mark = marked(question, "2 3 4")
    assert isinstance(mark, Mark)
    assert mark.feedback == "Not in your explanation:\n\n1. One 7.\n5. Five."


def test_the_ideas_are_numbered_where_they_are_shown(question: Question) -> None:
    key = explain.key(draw(question, "1"), Oracle())
    assert key.value == ("One 7.", "Two.", "Three.", "Four.", "Five.")
    assert key.shown.splitlines()[:2] == ["1. One 7.", "2. Two."]
