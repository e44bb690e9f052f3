"""Source text that cannot be read is a record, never an exception, and costs no other module anything."""

from __future__ import annotations

import pytest

from grader.judge.source import State, SyntaxProblem, parse_submission

GOOD = "def rms_norm(x, weight, eps=1e-6):\n    return x\n"

UNREADABLE = {
    "an open bracket": "def f(x:\n    return (x\n",
    "a bad indent": "def f(x):\n  a = 1\n    b = 2\n",
    "mixed tabs and spaces": "if True:\n        a = 1\n\tb = 2\n",
    "a NUL character": "x = 1\nname = 'a\0b'\n",
    "deep minus signs": "x = " + "-" * 50_000 + "1",
    "a long sum": "x = " + "1 + " * 50_000 + "1",
    "a long chain of dots": "x = a" + ".b" * 20_000,
    "a long chain of calls": "x = f" + "()" * 20_000,
    "deep brackets": "x = " + "[" * 3_000 + "]" * 3_000,
    "a sum that Python can parse": "x = " + "1 + " * 900 + "1",
    "an endless elif": "if a: pass\n" + "elif a: pass\n" * 5_000,
    "nested functions": "".join(" " * n + f"def f{n}():\n" for n in range(99)) + " " * 99 + "(",
    "ten million characters": "x = 1\n" * 1_700_000,
    "a lone surrogate": "x = '\ud800'\n",
    "a long number": "x = " + "9" * 10_000,
    "Python 2": "print 'hello'\n",
    "a merge conflict": "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other\n",
    "prose": "I have not finished this yet.\n",
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_unreadable_text_is_a_problem_of_its_module_alone(text: str) -> None:
    source = parse_submission({"objective": text, "normalization": GOOD})
    assert source.modules == {"normalization"}
    problem = source.problems["objective"]
    assert problem.slug == "objective"
    assert problem.line >= 1
    assert problem.column >= 1
    assert "student/objective.py, line" in problem.render()
    assert len(problem.render()) < 1_000
    definition = source.definition("objective", "softmax")
    assert definition.state is State.UNREADABLE
    assert definition.problem == problem.render()
    assert source.definition("normalization", "rms_norm").state is State.DEFINED
    assert source.forbidden_use("objective", "softmax", ["softmax"]) == []
    assert source.dependencies("objective", "softmax", []) == frozenset()
    assert source.signature_problem("objective", "softmax", ["logits"], ["dim"]) is None


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        "# -*- coding: latin-1 -*-\n" + GOOD,
        "import re\nPATTERN = re.compile('\\d')\n" + GOOD,  # an odd escape is a warning, not an error
        "x = '" + "a" * 100_000 + "'\n" + GOOD,
        GOOD.replace("    ", "\t"),
        "x = " + "(" * 90 + "1" + ")" * 90 + "\n" + GOOD,
        "x = " + " + ".join("1" * 150) + "\n" + GOOD,
    ],
)
def test_unusual_text_is_read(text: str) -> None:
    source = parse_submission({"normalization": text})
    assert not source.problems
    assert source.definition("normalization", "rms_norm").state is State.DEFINED


def test_an_empty_file_lacks_its_functions() -> None:
    source = parse_submission({"normalization": ""})
    assert source.definition("normalization", "rms_norm").state is State.MISSING_FUNCTION


def test_the_caret_stands_under_the_place() -> None:
    problem = parse_submission({"objective": "a = 1\nb = (2 +* 3)\n"}).problems["objective"]
    assert (problem.line, problem.column) == (2, 9)
    assert problem.text_of_line == "b = (2 +* 3)"
    *_, line, caret = problem.render().splitlines()
    assert line[caret.index("^")] == "*"


def test_the_caret_follows_a_tab() -> None:
    problem = SyntaxProblem("objective", 2, 6, "\tx = )", "unmatched ')'")
    assert problem.render().splitlines()[1:] == ["    \tx = )", "    \t    ^"]


def test_a_long_line_is_shown_around_the_caret() -> None:
    problem = parse_submission({"objective": "x = [" + "1, " * 5_000 + "+]"}).problems["objective"]
    *_, line, caret = problem.render().splitlines()
    assert len(line) < 120
    assert line[caret.index("^")] in "+]"


def test_a_nul_character_is_named_with_its_place() -> None:
    problem = parse_submission({"objective": "x = 1\nab\0c"}).problems["objective"]
    assert (problem.line, problem.column) == (2, 3)
    assert "NUL" in problem.message
