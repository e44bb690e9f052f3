"""Prompts read well in a terminal: no mark of Markdown or LaTeX is left, in Unicode or in ASCII."""

from collections.abc import Iterator

import pytest

from grader.course.load import load_course
from grader.review.questions.draw import draw
from grader.review.questions.load import load_quizzes
from grader.review.questions.marking import key
from grader.review.questions.model import Question
from grader.review.questions.oracle import Oracle
from grader.review.questions.plain import plain


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("One *two* **three** `four` [five](six.md)", "One two three four five"),
        ("First\nline.\n\nSecond.", "First line.\n\nSecond."),
        (r"The root $\sqrt{K}$ of ${4}$.", "The root √(K) of 4."),
        ("Which?\n\n1. one\n2. two\n   more\n", "Which?\n\n1. one\n2. two more"),
        ("- a\n- b", "- a\n- b"),
        ("What?\n```python\nx = 1\n\nprint(x)\n```\nSo.", "What?\n\n    x = 1\n\n    print(x)\n\nSo."),
        ("`a * b` and 2 * 3 * 4", "a * b and 2 * 3 * 4"),
        ("d_model and n_heads stay", "d_model and n_heads stay"),
        ("Not \\*this\\*", "Not *this*"),
        ("$$\nx^{-4/8}\n$$", "    x^(-4/8)"),
        ("a) One.\n\nb) Two.", "a) One.\n\nb) Two."),
        ("line  \nbreak", "line\nbreak"),
        ("> said", "said"),
        ("", ""),
    ],
)
def test_markdown_becomes_text(markdown: str, text: str) -> None:
    assert plain(markdown) == text


def test_ascii_reaches_prose_and_snippets() -> None:
    markdown = "One \N{EN DASH} two $\\le$ three\n```python\nprint('é')\n```"
    assert plain(markdown, ascii_only=True) == "One - two <= three\n\n    print('e')"


def test_paragraphs_are_wrapped_and_snippets_are_not() -> None:
    markdown = "word " * 20 + "\n\n1. " + "item " * 20 + "\n\n```\n" + "x" * 60 + "\n```"
    lines = plain(markdown, width=40).splitlines()
    assert max(len(line) for line in lines[:-1]) <= 40
    assert lines[-1] == "    " + "x" * 60
    (first,) = (number for number, line in enumerate(lines) if line.startswith("1. "))
    assert lines[first + 1].startswith("   item")


def texts(question: Question, oracle: Oracle) -> Iterator[str]:
    for seed in ("1", "2"):
        drawn = draw(question, seed)
        solved = key(drawn, oracle)
        yield from (drawn.prompt, drawn.explanation, solved.shown, *drawn.hints)
        yield from (feedback for _, feedback in solved.slips)
        for option in drawn.options:
            yield from (option.text, option.feedback)


def test_nothing_of_markdown_and_latex_is_left_of_any_question(oracle: Oracle) -> None:
    for quiz in load_quizzes(load_course()).values():
        for question in quiz:
            for text in texts(question, oracle):
                for ascii_only in (False, True):
                    shown = plain(text, width=80, ascii_only=ascii_only)
                    assert not set("$\\") & set(shown), (question.id, shown)
                    assert not ascii_only or shown.isascii()
                    assert not ascii_only or shown.count("?") <= text.count("?"), (question.id, shown)
                    # The marks for spaces, which are private characters, are gone too.
                    assert not any("\ue000" <= letter <= "\uf8ff" for letter in shown), (question.id, shown)
