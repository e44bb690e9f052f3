"""The session of the suites: what an author may write, and what is the course's own fault."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from warm import WarmPython

SCRIPT = """
import sys
from pathlib import Path
from grader.errors import GraderFault
from grader.judge.check import Examination
from grader.judge.probe import run_here
from grader.session import with_suites

def double(x):
    return x * 2

def wrong(x):
    return x * 3

def body(suites):
    for function in (double, wrong):
        for test in suites.tests("toy.double"):
            ask = lambda probe, answer: run_here(function, probe, answer.cotangent)
            record = suites.run(test, Examination(double, ask), seed=1)
            last = record.sentence.splitlines()[-1] if record.sentence else ""
            print(function.__name__, test.name, test.kind, test.weight, record.status, last)
    return 0

try:
    sys.exit(with_suites(["toy"], body, Path(sys.argv[1])))
except GraderFault as fault:
    print("fault:", fault)
"""

HEAD = """
import torch
from grader.suite import exercise, law, raises, value

@exercise("double")
class TestDouble:
"""


@pytest.fixture
def run(tmp_path: Path, warm_python: WarmPython) -> Callable[[str], list[str]]:
    """What the session of a suite with these tests says."""

    def run(tests: str) -> list[str]:
        (tmp_path / "test_toy.py").write_text(HEAD + textwrap.indent(textwrap.dedent(tests), "    "), "utf-8")
        done = warm_python.run("-c", SCRIPT, str(tmp_path))
        assert done.stderr == ""
        return done.stdout.splitlines()

    return run


def test_a_test_is_three_lines(run):
    lines = run(
        '''
        @value(2)
        def test_small(self, check, draw):
            """Twice x."""
            check(draw.tidy(2, 3))
        ''',
    )
    assert lines == [
        "double small value 2 passed ",
        "wrong small value 2 failed All 6 values differ from the expected values.",
    ]


def test_laws_may_be_plain_asserts_and_parametrised(run):
    lines = run(
        '''
        @law(1)
        @__import__("pytest").mark.parametrize("n", [1, 2])
        def test_sum(self, check, draw, n):
            """The law."""
            x = draw.normal(n)
            assert torch.allclose(check.call(x), x + x), "twice is the sum"
        ''',
    )
    assert lines == [
        "double sum[1] law 1 passed ",
        "double sum[2] law 1 passed ",
        "wrong sum[1] law 1 failed twice is the sum",
        "wrong sum[2] law 1 failed twice is the sum",
    ]


def test_a_mistake_of_the_suites_author_is_a_grader_fault(run):
    lines = run(
        """
        @value(1)
        def test_broken(self, check, draw):
            check(draw.normal(2), no_such_argument=1)

        @value(1)
        def test_bug(self, check, draw):
            1 / 0
        """,
    )
    assert [line.split()[4] for line in lines] == ["grader_fault"] * 4


def test_a_test_without_marks_is_named(run):
    lines = run("def test_nothing(self, check): check(1)\n")
    assert len(lines) == 1
    assert "test_nothing" in lines[0]
    assert "@value" in lines[0]


def test_a_suite_that_cannot_be_collected_is_named(run):
    lines = run("import no_such_module\n")
    assert lines[0].startswith("fault: a suite could not be collected")


def test_a_missing_suite_is_named(warm_python, tmp_path):
    done = warm_python.run("-c", SCRIPT, str(tmp_path))
    assert "test_toy.py is missing" in done.stdout
