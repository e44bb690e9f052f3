"""A quiz is read whole or refused whole, with the file, the line and the key of every mistake."""

from collections.abc import Callable
from pathlib import Path

import pytest
from made_questions import Write

from grader.course.load import load_course
from grader.course.mistakes import CourseErrors
from grader.review.questions.load import load_quiz, load_quizzes
from grader.review.questions.model import Call, Option, Param, Parameter, Question, TensorLiteral, Tolerance, Variant

NUMERIC = """
    id: positions-slope
    kind: numeric
    prompt: Which slope has head {i} of {h}? (within 0.01)
    params:
      h: {choice: [4, 8]}
      i: {low: 0, high: 3}
    answer:
      ref: "reference.positions:alibi_slopes"
      args: {n_heads: $h}
      at: [$i]
    atol: 0.01
    also:
      - value: {wrong: positions.alibi_slopes.heads-reversed}
        feedback: The first head has the largest slope.
      - value: 0.125
        feedback: That is another one.
    rungs: [1, 5]
    hints: [How many heads are there?]
"""
CHOICE = """
    id: positions-choice
    kind: choice
    prompt: Which?
    answer: this-one
    options:
      - {id: this-one, text: This one., right: true, feedback: Yes.}
      - {id: other, text: The other., feedback: No.}
"""


CODE = """
    id: positions-code
    kind: code
    prompt: "What does this print?"
    answer: "2"
    also: [{value: "3", feedback: No.}]
"""


def test_a_computed_question_holds_what_the_file_says(one: Callable[[str], Question]) -> None:
    question = one(NUMERIC)
    assert (question.id, question.lesson, question.version, question.kind) == (
        "positions-slope",
        "positions",
        1,
        "numeric",
    )
    assert question.params == (Param("h", (4, 8)), Param("i", range(4)))
    assert question.answer == Call("reference.positions:alibi_slopes", {"n_heads": Parameter("h")}, (Parameter("i"),))
    assert question.tolerance == Tolerance("atol", 0.01)
    assert [slip.value for slip in question.also] == [Variant("positions.alibi_slopes.heads-reversed"), 0.125]
    assert (question.rungs, question.hints) == (frozenset({1, 5}), ("How many heads are there?",))
    assert (question.line, question.path.name, question.also[1].place.line) == (2, "quiz.yaml", 16)


def test_tensors_and_tables_may_nest_in_arguments(one: Callable[[str], Question]) -> None:
    question = one("""
        id: positions-nested
        kind: numeric
        prompt: "{a} {row} (exact)"
        params:
          a: {choice: [-1.5, 2]}
          row: {choice: [[0.5, 1.0], [2.0, 3.0]]}
        answer:
          ref: "reference.training:clip_gradients"
          args:
            gradients: {w: {tensor: [[$a, -.inf]], dtype: float64}, b: {tensor: $row, dtype: float32}}
            cache: [{tensor: $a, dtype: int64}, null]
            config: {family: llama, tied: true, d: 4}
          at: [0, w, 0]
        exact: true
    """)
    assert isinstance(question.answer, Call)
    assert question.answer.args == {
        "gradients": {
            "w": TensorLiteral([[Parameter("a"), float("-inf")]], "float64"),
            "b": TensorLiteral(Parameter("row"), "float32"),
        },
        "cache": [TensorLiteral(Parameter("a"), "int64"), None],
        "config": {"family": "llama", "tied": True, "d": 4},
    }
    assert question.answer.at == (0, "w", 0)


def test_options_say_which_is_right(one: Callable[[str], Question]) -> None:
    question = one(CHOICE)
    assert question.answer == "this-one"
    assert question.options[1] == Option("other", "The other.", False, "No.")


@pytest.mark.parametrize(
    ("kind", "answer", "read"),
    [
        ("shape", '"{b}, 2"', "{b}, 2"),
        ("order", "[2, 1, 3]", (2, 1, 3)),
        ("short", "[top-p, nucleus]", ("top-p", "nucleus")),
        ("code", '"[0.5, 0.5]"', "[0.5, 0.5]"),
        ("explain", "[One., Two., Three.]", ("One.", "Two.", "Three.")),
        ("numeric", "3\nexact: true", 3),
        ("numeric", "2.5\nrange: [2, 3.5]", 2.5),
    ],
)
def test_answers_are_written_in_the_form_of_their_kind(
    kind: str, answer: str, read: object, one: Callable[[str], Question]
) -> None:
    question = one(f"id: positions-one\nkind: {kind}\nprompt: What?\nanswer: {answer}\n")
    assert question.answer == read


def test_a_range_is_a_tolerance(one: Callable[[str], Question]) -> None:
    question = one("id: positions-one\nkind: numeric\nprompt: What?\nanswer: 2\nrange: [1, 3]\n")
    assert question.tolerance == Tolerance("range", low=1, high=3)


@pytest.mark.parametrize(
    ("text", "old", "new", "says"),
    [
        (NUMERIC, "prompt:", "promt:", "4: the question has no key `promt`; did you mean `prompt`?"),
        (
            NUMERIC,
            "kind: numeric",
            "kind: numerical",
            "3: `kind` is 'numerical', which is none; did you mean `numeric`?",
        ),
        (
            NUMERIC,
            "atol: 0.01",
            "atol: 0.01\n    exact: true",
            "13: the question has `atol` and `exact`; write exactly one",
        ),
        (NUMERIC, "atol: 0.01", "one_answer: false", "2: the question has no tolerance; write exactly one of `atol`"),
        (NUMERIC, "atol: 0.01", "atol: -1", "12: `atol` is -1; write a number above 0"),
        (NUMERIC, "atol: 0.01", "exact: 1", "12: `exact` is a whole number (1); write `exact: true`"),
        (NUMERIC, "atol: 0.01", "range: [3, 2]", "12: `range` is not two numbers; write [low, high]"),
        (NUMERIC, "reference.positions:", "grader.positions:", "9: `ref` is 'grader.positions:alibi_slopes'; write"),
        (NUMERIC, "ref: ", "reference: ", "9: `answer` has no key `reference`; known are: ref, args, at"),
        (NUMERIC, "$h}", "$heads}", "10: `$heads` is no parameter; known are: h, i"),
        (NUMERIC, "[$i]", "[$j]", "11: `$j` is no parameter"),
        (NUMERIC, "[$i]", "2", "11: `at` is not a list of indices and keys; write it like [0, 2]"),
        (NUMERIC, "low: 0, high: 3", "low: 5, high: 3", "7: `low` of `i` is 5, above `high`, 3"),
        (NUMERIC, "low: 0, high: 3", "low: 0, heigh: 3", "the parameter `i` has no key `heigh`; did you mean `high`?"),
        (NUMERIC, "low: 0, high: 3", "low: 0.5, high: 3", "7: `low` is a number (0.5); write a whole number"),
        (NUMERIC, "[4, 8]", "[4, 4]", "6: `choice` of `h` has a value twice; keep one"),
        (NUMERIC, "[4, 8]", "4", "6: `choice` of `h` is not a list of values"),
        (NUMERIC, "      h: {", "      h-1: {", "6: the parameter 'h-1' in `params` is no name"),
        (
            NUMERIC,
            "wrong: positions",
            "wrong: decoding",
            "14: `wrong` is decoding.alibi_slopes.heads-reversed, but the answer",
        ),
        (
            NUMERIC,
            "wrong: positions",
            "wrong: Positions",
            "14: `wrong` is 'Positions.alibi_slopes.heads-reversed'; write",
        ),
        (NUMERIC, "value: 0.125", "value: one eighth", "16: `value` is a text; write a number"),
        (NUMERIC, "feedback: That", "feedbak: That", "`also` has no key `feedbak`; did you mean `feedback`?"),
        (NUMERIC, "rungs: [1, 5]", "rungs: [1, 6]", "18: `rungs` is not a list of rungs"),
        (NUMERIC, "positions-slope", "Positions_Slope", "2: `id` is 'Positions_Slope'; write it in kebab case"),
        (
            NUMERIC,
            "positions-slope",
            "decoding-slope",
            "2: `id` is decoding-slope; begin it with the lesson, `positions-`",
        ),
        (
            CHOICE,
            "answer: this-one",
            "answer: other",
            "5: `answer` and `right: true` differ; the options marked right are: this-one",
        ),
        (CHOICE, "right: true, ", "", "7: 0 options are `right: true`; a choice has exactly one"),
        (CHOICE, "right: true", "right: yes", "7: `right` is a text; write true or leave it out"),
        (CHOICE, "id: other", "id: this-one", "8: the option this-one is here a second time"),
        (CHOICE, "feedback: No.", "hint: No.", "8: the option has no key `hint`"),
        (CHOICE, "feedback: No.", 'feedback: ""', "8: `feedback` is blank; write a text"),
        (CHOICE, "answer: this-one", "atol: 1", "5: `atol` has no meaning in a choice question"),
        (CODE, 'value: "3"', "value: {ref: a}", "6: `value` of a code question is not computed; write it down"),
        (CHOICE, "answer: this-one", "hints: []", "2: the question has no `answer`; write one"),
    ],
)
def test_every_mistake_names_its_line_and_key(
    text: str, old: str, new: str, says: str, mistakes: Callable[..., list[str]]
) -> None:
    assert old in text
    found = mistakes(text.replace(old, new, 1))
    assert any(says in mistake for mistake in found), found


@pytest.mark.parametrize(
    ("kind", "answer", "says"),
    [
        ("order", "[1, 3]", "`answer` is not an order of 1 to 2; write each number once"),
        ("order", '"1 2"', "`answer` is a text; write a list of whole numbers"),
        ("short", "nucleus", "`answer` is a text; write the list of the accepted spellings"),
        ("code", "4", '`answer` is a whole number (4); write what is typed, as a text in "quotes"'),
        ("code", '{ref: "reference.positions:alibi_slopes", args: {}}', "of a code question is not computed"),
        ("explain", "[One., Two.]", "write a list of 3 to 6 ideas"),
        ("shape", "[2, 3]", "`answer` is a list; write the sizes as a text"),
        ("numeric", "three\nexact: true", "`answer` is a text; write a number"),
    ],
)
def test_an_answer_of_another_form_is_refused(
    kind: str, answer: str, says: str, mistakes: Callable[..., list[str]]
) -> None:
    found = mistakes(f"id: positions-one\nkind: {kind}\nprompt: What?\nanswer: {answer}\n")
    assert any(says in mistake for mistake in found), found


def test_wrong_needs_an_answer_that_is_computed(mistakes: Callable[..., list[str]]) -> None:
    found = mistakes("""
        id: positions-one
        kind: numeric
        prompt: What? (exact)
        answer: 2
        exact: true
        also: [{value: {wrong: positions.alibi_slopes.heads-reversed}, feedback: No.}]
    """)
    assert found == ["7: `wrong` needs an `answer` that is computed with `ref`; write the value itself"]


def test_an_id_is_never_used_twice(mistakes: Callable[..., list[str]]) -> None:
    found = mistakes(CHOICE, CHOICE)
    says = "`id` positions-choice is here a second time (first in positions/quiz.yaml, line 2)"
    assert found == [f"12: {says}; an id is never used again"]


def test_all_mistakes_of_a_file_are_told_at_once(mistakes: Callable[..., list[str]]) -> None:
    broken = NUMERIC.replace("prompt:", "promt:").replace("atol: 0.01", "atol: 0").replace("[4, 8]", "[]")
    assert len(mistakes(broken, CHOICE.replace("right: true, ", ""))) == 7


def test_a_missing_quiz_is_named(write: Write) -> None:
    lesson = write(CHOICE)
    (lesson.folder / "quiz.yaml").unlink()
    with pytest.raises(CourseErrors, match=r"quiz\.yaml: the file is missing"):
        load_quiz(lesson)


def test_keys_are_read_by_yaml_1_2(one: Callable[[str], Question]) -> None:
    question = one("id: positions-one\nkind: numeric\nprompt: What?\nanswer: 1e-5\natol: 1e-6\n")
    assert (question.answer, question.tolerance) == (1e-5, Tolerance("atol", 1e-6))


def test_every_quiz_of_the_course_loads_and_knows_its_lines() -> None:
    course = load_course()
    quizzes = load_quizzes(course)
    assert list(quizzes) == [lesson.slug for lesson in course.lessons]
    for slug, quiz in quizzes.items():
        lines = Path(course.lesson(slug).folder / "quiz.yaml").read_text(encoding="utf-8").splitlines()
        assert quiz
        for question in quiz:
            assert lines[question.line - 1].strip() == f"- id: {question.id}"
