"""What a snippet prints is compared without regard to spaces, quotes and case; a wrong line by its number."""

from collections.abc import Callable

import pytest

from grader.review.questions.draw import draw
from grader.review.questions.kinds import code
from grader.review.questions.model import AskBack, Mark, Param, Question, Slip
from grader.review.questions.oracle import Oracle

Make = Callable[..., Question]
PRINTS = "What does this print?\n```python\nx = {'a': [1]}\n\nprint(x)  # which line\n```\n"
LINES = "Which line is wrong: 1 or 2?\n```python\nx = 1     # 1\nprint(y)  # 2\n```"


def marked(question: Question, given: str) -> Mark | AskBack:
    drawn = draw(question, "1")
    return code.mark(drawn, code.key(drawn, Oracle()), given)


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ("[0.5, 0.5]", "[0.5,0.5]"),
        ("[0.5, 0.5]", " [ 0.5 , 0.5 ] "),
        ("['10', '2']", '["10", "2"]'),
        ("['10', '2']", "[\N{LEFT SINGLE QUOTATION MARK}10\N{RIGHT SINGLE QUOTATION MARK},'2']"),
        ("True [False, True]", "true  [false,true]"),
        ("7 0", "7\t0"),
        ("{'a': [1]}", "{'a':[1]}"),
        ("1\n2", "1 2"),
        ("[-0.0, nan]", "[-0.0, NaN]"),
    ],
)
def test_spaces_quotes_and_case_do_not_matter(answer: str, given: str, make: Make) -> None:
    assert marked(make("code", answer, prompt=PRINTS), given) == Mark(1.0, True, False, "", given.strip())


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ("[0.5, 0.5]", "[0.5 0.5]"),
        ("0.0", "-0.0"),
        ("12", "1 2"),
        ("7 0", "70"),
        ("1.0", "1"),
        ("'a'", "a"),
        ("[1, 2]", "1, 2"),
    ],
)
def test_what_is_printed_is_compared_as_text(answer: str, given: str, make: Make) -> None:
    assert marked(make("code", answer, prompt=PRINTS), given) == Mark(0.0, False, True, "", given)


def test_a_known_wrong_print_gets_its_feedback(make: Make) -> None:
    question = make("code", "[1, 2]", prompt=PRINTS, also=(Slip("[4, 5]", "Those are the right counts."),))
    assert marked(question, "[4,5]") == Mark(0.0, False, True, "Those are the right counts.", "[4,5]")
    assert marked(question, " ") == AskBack("Type what is printed.")


@pytest.mark.parametrize("given", ["2", "line 2", "Line 2.", "#2", " 02"])
def test_a_line_is_its_number(given: str, make: Make) -> None:
    question = make("code", "2", prompt=LINES, also=(Slip("1", "That is right."),))
    assert marked(question, given) == Mark(1.0, True, False, "", "2")
    assert marked(question, "line 1") == Mark(0.0, False, True, "That is right.", "1")


@pytest.mark.parametrize("given", ["", "two", "the second", "2 or 1", "print(y)"])
def test_a_line_without_a_number_is_asked_back(given: str, make: Make) -> None:
    assert marked(make("code", "2", prompt=LINES), given) == AskBack("Type the number of the line.")


def test_the_question_asks_for_a_print_or_for_a_line_in_its_own_words(make: Make) -> None:
    prints, lines = make("code", "2", prompt=PRINTS), make("code", "2", prompt=LINES)
    assert (code.asks_line(prints), code.asks_line(lines)) == (False, True)
    assert code.snippet(prints) == "x = {'a': [1]}\n\nprint(x)  # which line\n"
    assert code.snippet(lines) is None
    assert code.program(lines) == "x = 1     # 1\nprint(y)  # 2\n"
    assert code.snippet(make("short", ("a",), prompt=PRINTS)) is None


def test_the_line_says_what_to_type(make: Make) -> None:
    assert code.how_to_answer(draw(make("code", "2", prompt=LINES), "1")) == "Type the number of the line."
    assert code.how_to_answer(draw(make("code", "2", prompt=PRINTS), "1")).startswith("Type what is printed.")
    assert code.key(draw(make("code", "2", prompt=LINES), "1"), Oracle()).shown == "line 2"


def test_numbers_are_drawn_into_snippet_answer_and_slips(make: Make) -> None:
    prompt = "What does this print?\n```python\nprint([{a}, {a} + 1])\n```\n"
    also = (Slip("[{a}, {a}]", "Not {a} twice."),)
    drawn = draw(make("code", "[{a}, 4]", prompt=prompt, params=(Param("a", (3,)),), also=also), "1")
    key = code.key(drawn, Oracle())
    assert (key.value, key.slips) == ("[3, 4]", (("[3, 3]", "Not 3 twice."),))
    assert code.snippet(drawn) == "print([3, 3 + 1])\n"
