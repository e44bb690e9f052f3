"""Snippets are run in a process of their own, each with its own names."""

import pytest

from grader.errors import GraderFault
from grader.review.questions import printed
from grader.review.questions.printed import Printed, run_snippets


def test_each_snippet_has_its_own_names_and_output() -> None:
    programs = [
        "x = 3\nprint(x)",
        "print('x' in globals())",
        "def f():\n    return g()\ndef g():\n    return 7\nprint(f())",
    ]
    assert run_snippets(programs) == {
        programs[0]: Printed("3\n", ""),
        programs[1]: Printed("False\n", ""),
        programs[2]: Printed("7\n", ""),
    }


@pytest.mark.parametrize(
    ("program", "result"),
    [
        ("print(1)\n1/0", Printed("1\n", "ZeroDivisionError: division by zero")),
        ("print(", Printed("", "SyntaxError: '(' was never closed (<snippet>, line 1)")),
        ("import sys\nsys.exit(3)", Printed("", "SystemExit: 3")),
    ],
)
def test_an_error_is_reported_and_the_others_still_run(program: str, result: Printed) -> None:
    assert run_snippets([program, "print(2)"]) == {program: result, "print(2)": Printed("2\n", "")}


def test_no_snippet_starts_no_process() -> None:
    assert run_snippets([]) == {}


def test_a_snippet_that_ends_the_process_is_our_fault() -> None:
    with pytest.raises(GraderFault, match="could not be run"):
        run_snippets(["import os\nos._exit(3)"])


def test_a_snippet_that_does_not_end_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printed, "_SECONDS", 1)
    with pytest.raises(GraderFault, match="ran for more than 1 seconds"):
        run_snippets(["while True: pass"])
