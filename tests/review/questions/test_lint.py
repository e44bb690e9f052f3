"""Every question of every lesson holds for many seeds, and each kind of fault is named with file, line and item."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from nightly import NIGHTLY

from grader.course.load import load_course
from grader.review.questions.lint import distinct_draws, lint, lint_all, programs, tolerance_words
from grader.review.questions.load import load_quiz, load_quizzes
from grader.review.questions.model import Option, Param, Question, Slip, Tolerance
from grader.review.questions.oracle import Oracle
from grader.review.questions.printed import Printed, run_snippets

Make = Callable[..., Question]
COURSE = load_course()
SEEDS = 200 if NIGHTLY else 30
"""`anatomy check` tries 200."""


@pytest.fixture(scope="module")
def outputs() -> Mapping[str, Printed]:
    quizzes = load_quizzes(COURSE).values()
    return run_snippets([text for quiz in quizzes for each in quiz for text in programs(distinct_draws(each, SEEDS))])


@pytest.mark.parametrize("lesson", COURSE.lessons, ids=lambda lesson: lesson.slug)
def test_the_questions_of_a_lesson_hold_for_many_seeds(
    lesson: Any, oracle: Oracle, outputs: Mapping[str, Printed]
) -> None:
    mistakes = [str(mistake) for question in load_quiz(lesson) for mistake in lint(question, oracle, SEEDS, outputs)]
    assert not mistakes, "\n".join(mistakes)


SLOPE = """
    id: positions-slope
    kind: numeric
    prompt: Which slope has the first of {h} heads? (within 0.01)
    params:
      h: {choice: [4, 8, 16]}
    answer:
      ref: "reference.positions:alibi_slopes"
      args: {n_heads: $h}
      at: [0]
    atol: 0.01
    also:
      - value: {wrong: positions.alibi_slopes.heads-reversed}
        feedback: The first head has the largest slope.
"""


def told(question: Question, oracle: Oracle, outputs: Mapping[str, Printed] | None = None) -> list[str]:
    return [f"{mistake.line}: {mistake.says}" for mistake in lint(question, oracle, 50, outputs)]


def test_a_good_question_has_no_mistakes(one: Callable[[str], Question], oracle: Oracle) -> None:
    assert told(one(SLOPE), oracle) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "{n_heads: $h}",
            "{heads: $h}",
            "8: positions-slope: reference.positions:alibi_slopes raises TypeError for {'h':",
        ),
        ("at: [0]", "at: [99]", "8: positions-slope: `at` does not fit"),
        (
            "heads-reversed",
            "heads-turned",
            "13: positions-slope: `wrong` is positions.alibi_slopes.heads-turned, but the catalogue",
        ),
        ("(within 0.01)", "", "2: positions-slope: `prompt` does not say what is accepted; write (within 0.01)"),
        ("(within 0.01)", "(within 0.015)", "2: positions-slope: `prompt` does not say what is accepted"),
        (
            "of {h} heads",
            "of {heads} heads",
            "2: positions-slope: `prompt` has `{heads}`, but there is no parameter heads",
        ),
        (
            "of {h} heads",
            "of some heads",
            "2: positions-slope: the parameter h is drawn, but the prompt does not show `{h}`",
        ),
        ("of {h} heads", "of {h} $heads", "2: positions-slope: `prompt` has a `$` without its partner"),
        (
            "$h}",
            "8}",
            "2: positions-slope: the answer is 0.5 for all 3 draws; if that is the point, add `one_answer: true`",
        ),
        (
            "atol: 0.01",
            "atol: 0.01\n    one_answer: true",
            "2: positions-slope: `one_answer` is set, but the answer depends",
        ),
        ("atol: 0.01", "range: [0.3, 0.6]", "2: positions-slope: the answer, 0.25, is outside of `range` for h = 4"),
        (
            "The first head has the largest slope.",
            "No.\n      - {value: {wrong: positions.alibi_slopes.heads-reversed}, feedback: Never read.}",
            "15: positions-slope: slip 2 of `also` cannot be told from slip 1 in any of 3 draws; remove it",
        ),
        (
            "value: {wrong: positions.alibi_slopes.heads-reversed}",
            'value: {ref: "reference.positions:alibi_slopes", args: {n_heads: $h}, at: [0]}',
            "13: positions-slope: slip 1 of `also` cannot be told from the right answer in any of 3 draws; remove it",
        ),
    ],
)
def test_a_fault_is_named_with_line_and_item(
    old: str, new: str, says: str, one: Callable[[str], Question], oracle: Oracle
) -> None:
    assert old in SLOPE
    found = told(one(SLOPE.replace(old, new, 1)), oracle)
    assert any(mistake.startswith(says) for mistake in found), found


def test_a_function_that_the_reference_lacks_is_named(one: Callable[[str], Question], oracle: Oracle) -> None:
    found = told(one(SLOPE.partition("also:")[0].replace(":alibi_slopes", ":alibi_slope")), oracle)
    says = "`ref` is reference.positions:alibi_slope, but reference.positions has no function alibi_slope"
    assert found == [f"8: positions-slope: {says}"]


def test_a_slip_that_is_right_for_some_numbers_is_allowed(one: Callable[[str], Question], oracle: Oracle) -> None:
    half = SLOPE.replace("{wrong: positions.alibi_slopes.heads-reversed}", "0.5")
    assert told(one(half), oracle) == []


def test_an_answer_is_finite_unless_the_prompt_speaks_of_infinity(
    one: Callable[[str], Question], oracle: Oracle
) -> None:
    loss = """
        id: positions-loss
        kind: numeric
        prompt: What is the loss? (exact)
        answer:
          ref: "reference.objective:cross_entropy"
          args: {logits: {tensor: [0.0, -.inf], dtype: float64}, targets: {tensor: 1, dtype: int64}}
        exact: true
    """
    assert "the answer is infinite, and the prompt does not say that it can be" in told(one(loss), oracle)[0]
    assert told(one(loss.replace("(exact)", "(exact; type inf if it is infinite)")), oracle) == []
    nan = loss.replace("[0.0, -.inf]", "[0.0, .nan]")
    assert "the answer is NaN" in told(one(nan), oracle)[0]


def test_what_a_snippet_prints_is_the_answer(make: Make, oracle: Oracle) -> None:
    question = make("code", "[1, 2]", prompt="What does this print?\n```python\nprint([1,2])\n```\n")
    assert told(question, oracle) == []
    other = make("code", "[1, 3]", prompt=question.prompt)
    assert told(other, oracle) == ["0: positions-made: `answer` is [1, 3], but the snippet prints [1, 2]"]
    drawn = make(
        "code", "{a}", prompt="What does this print?\n```python\nprint({a} + 0)\n```\n", params=(Param("a", (3, 4)),)
    )
    assert told(drawn, oracle) == []
    broken = make("code", "1", prompt="What does this print?\n```python\nprint(x)\n```\n")
    assert told(broken, oracle) == ["0: positions-made: the snippet ends with NameError: name 'x' is not defined"]
    assert "asks neither" in told(make("code", "1", prompt="Well?\n```python\nx = 1\n```\n"), oracle)[0]


def test_a_line_that_is_asked_for_is_one_of_those_offered(make: Make, oracle: Oracle) -> None:
    prompt = "Which line is wrong: 1 or 2?\n```python\nx = 1  # 1\ny = 2  # 2\nz = 3  # 3\n```\n"
    assert told(make("code", "2", prompt=prompt, also=(Slip("1", "No."),)), oracle) == []
    says = "0: positions-made: line 3 is not among those that the prompt offers or numbers"
    assert told(make("code", "3", prompt=prompt), oracle) == [says]
    assert told(make("code", "2", prompt=prompt, also=(Slip("3", "No."),)), oracle) == [says]


def test_options_differ_and_their_ids_are_no_letters(make: Make, oracle: Oracle) -> None:
    same = (Option("it", "The  mean.", True, "Yes."), Option("other", "the mean.", False, "No."))
    assert told(make("choice", "it", options=same), oracle) == ["0: positions-made: two options have the same text"]
    letters = (Option("b", "One.", True, "Yes."), Option("mean", "Two.", False, "No."))
    assert "the option id b can be taken for letters" in told(make("choice", "b", options=letters), oracle)[0]
    drawn = (Option("it", "It is {n}.", True, "Yes."), Option("other", "It is 3.", False, "No."))
    found = told(make("choice", "it", options=drawn, params=(Param("n", (3, 4)),)), oracle)
    assert found == ["0: positions-made: two options have the same text for n = 3"]


@pytest.mark.parametrize(
    ("kind", "answer", "slip"),
    [("short", ("top-p",), ("Top P",)), ("code", "[1, 2]", "[1,2]"), ("order", (2, 1), (2, 1))],
)
def test_a_written_slip_is_not_the_answer(kind: str, answer: Any, slip: Any, make: Make, oracle: Oracle) -> None:
    prompt = "What does this print?\n1. a\n2. b\n\n```python\nprint([1, 2])\n```\n"
    found = told(make(kind, answer, prompt=prompt, also=(Slip(slip, "No."),)), oracle)
    assert found == [f"0: positions-made: {slip!r} in `also` is the right answer"]


def test_shapes_are_shapes_and_slips_are_others(make: Make, oracle: Oracle) -> None:
    assert "the answer or a slip is no shape" in told(make("shape", "B T"), oracle)[0]
    assert "the answer or a slip is no shape" in told(make("shape", "B, T", also=(Slip("B x T", "No."),)), oracle)[0]
    same = make("shape", "B*T, D", also=(Slip("T*B, D", "No."),))
    assert "slip 1 of `also` cannot be told from the right answer in any of 1 draws" in told(same, oracle)[0]


def test_an_order_has_as_many_steps_as_its_prompt(make: Make, oracle: Oracle) -> None:
    found = told(make("order", (2, 1, 3), prompt="Order:\n\n1. a\n2. b\n"), oracle)
    assert found == ["0: positions-made: `prompt` numbers the steps [1, 2], and `answer` orders 1 to 3"]


def test_ids_are_unique_in_the_whole_course(make: Make, oracle: Oracle) -> None:
    one, two = make("short", ("a",), line=3), make("short", ("a",), line=9)
    (mistake,) = lint_all([one, two], oracle)
    assert "`id` positions-made is here a second time" in mistake.says
    assert mistake.line == 9


def test_each_set_of_numbers_is_asked_for_once(make: Make) -> None:
    question = make("numeric", 1.0, params=(Param("a", (1, 2, 3)), Param("b", ("x", "y"))))
    drawn = distinct_draws(question, 200)
    assert len(drawn) == 6
    assert len(distinct_draws(make("numeric", 1.0), 200)) == 1


@pytest.mark.parametrize(
    ("tolerance", "prompt", "stated"),
    [
        (Tolerance("atol", 0.01), "What? (within 0.01)", True),
        (Tolerance("atol", 0.01), "Accepted within 0.01.", True),
        (Tolerance("atol", 0.01), "within 0.011", False),
        (Tolerance("atol", 1), "within 1.5", False),
        (Tolerance("rtol", 0.01), "within 1 percent", True),
        (Tolerance("rtol", 0.01), "within 1 %", True),
        (Tolerance("rtol", 0.01), "within 1%", True),
        (Tolerance("rtol", 0.01), "within 1", False),
        (Tolerance("exact"), "(exactly)", True),
        (Tolerance("exact"), "(exact; a calculator is allowed)", True),
        (Tolerance("exact"), "inexact", False),
        (Tolerance("range", low=3, high=4.5), "a number between 3 and 4.5", True),
        (Tolerance("range", low=3, high=4.5), "between 3 and 4", False),
    ],
)
def test_a_prompt_states_the_tolerance_in_words(tolerance: Tolerance, prompt: str, stated: bool) -> None:
    assert bool(re.search(tolerance_words(tolerance), prompt)) is stated
