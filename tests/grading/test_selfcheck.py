"""The proof of a course finds what an author got wrong: it must not be possible to pass it with a weak suite."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from warm import WarmPython

SCRIPT = """
import json, sys
from pathlib import Path
import torch
from grader.course.model import Exercise
from grader.judge.misconception import Catalogue, Misconception
from grader.judge.variation import Variations
from grader.selfcheck.exercise import prove
from grader.session import with_suites

catalogue, variations = Catalogue("toy"), Variations("toy")
exec(Path(sys.argv[2]).read_text())
exercise = Exercise("toy", "double", POINTS, "s", (), "t", (), ("a", "b"))

def body(suites):
    flawed = catalogue.exercises.get("double")
    for problem in prove(exercise, suites, double, flawed, variations.of("double"), 1):
        print(problem.says)
    return 0

with_suites(["toy"], body, Path(sys.argv[1]))
"""

SUITE = """
import torch
from grader.suite import exercise, law, value

@exercise("double")
class TestDouble:
    @value(2)
    def test_small(self, check, draw):
        check(draw.tidy(2, 3))

    @law(1)
    def test_unchanged(self, check, draw):
        check.unchanged(draw.normal(4))
"""

COURSE = """
POINTS = 10

def double(x):
    return x * 2

@catalogue.flawed(
    "double",
    Misconception("squared", section="s", says="Squared."),
    Misconception("in-place", section="s", says="Changes x.", fails="test_unchanged"),
)
def flawed(wrong, x):
    result = x * x if wrong("squared") else x * 2
    if wrong("in-place"):
        x.zero_()
    return result

@variations.right("double")
def by_addition(x):
    \"\"\"Adds x to itself.\"\"\"
    return x + x
"""


@pytest.fixture
def problems(tmp_path: Path, warm_python: WarmPython) -> Callable[..., list[str]]:
    """What the proof of a course of one exercise finds; a session of the suites needs a process of its own."""

    def problems(suite: str = SUITE, course: str = COURSE) -> list[str]:
        suites, text = tmp_path / "suites", tmp_path / "course.py"
        suites.mkdir()
        (suites / "test_toy.py").write_text(textwrap.dedent(suite), "utf-8")
        text.write_text(textwrap.dedent(course), "utf-8")
        done = warm_python.run("-c", SCRIPT, str(suites), str(text))
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    return problems


def test_a_sound_exercise_has_no_problems(problems):
    assert problems() == []


def test_a_suite_that_a_constant_passes_is_found(problems):
    weak = SUITE.replace("check(draw.tidy(2, 3))", "check(torch.zeros(2, 3))")
    found = problems(suite=weak)
    assert any(says.startswith("an identity earns") for says in found)
    assert any(says.startswith("zeros of the right shape earns") for says in found)


def test_a_mistake_that_no_test_sees_is_found(problems):
    tiny = COURSE.replace("x * x if", "x * 2 + 1e-9 if")
    assert any("squared passes every test" in says for says in problems(course=tiny))


def test_a_mistake_that_is_hardly_seen_is_found(problems):
    near = COURSE.replace("x * x if", "x * 2.00002 if")
    assert any("nowhere by 10 pass lines" in says for says in problems(course=near))


def test_two_mistakes_that_look_alike_must_say_so(problems):
    twins = COURSE.replace(
        'Misconception("in-place"',
        'Misconception("to-the-second", section="s", says="Also."),\n    Misconception("in-place"',
    ).replace('x * x if wrong("squared")', 'x * x if wrong("squared") or wrong("to-the-second")')
    assert any(
        "squared is named as toy.double.squared or toy.double.to-the-second" in s for s in problems(course=twins)
    )


def test_a_mistake_must_fail_the_test_that_is_named_for_it(problems):
    elsewhere = COURSE.replace('fails="test_unchanged"', 'fails="test_small"')
    assert any("in-place should fail small" in says for says in problems(course=elsewhere))


def test_a_right_answer_that_is_rejected_is_found(problems):
    broken = COURSE.replace("return x + x", "return x + x + 1")
    assert any(says.startswith("the variation by-addition does not pass") for says in problems(course=broken))


def test_too_few_points_for_the_tests_are_found(problems):
    assert problems(course=COURSE.replace("POINTS = 10", "POINTS = 1")) == [
        "1 points are too few for 2 tests: some would be worth 0"
    ]


def test_the_parametric_function_must_be_right_with_no_switch_set(problems):
    bent = COURSE.replace("else x * 2\n", "else x * 2.5\n")
    assert any("with no switch set does not pass" in says for says in problems(course=bent))
