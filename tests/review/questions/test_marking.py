"""One door to all kinds: every question of the course can be asked, answered and marked with any seed."""

import json
from collections.abc import Callable

import pytest

from grader.course.load import load_course
from grader.course.model import Course
from grader.review.questions.draw import draw
from grader.review.questions.kinds.choice import lettered
from grader.review.questions.load import load_quizzes
from grader.review.questions.marking import how_to_answer, key, lesson_section, mark
from grader.review.questions.model import AskBack, Call, Drawn, Key, Mark, Question
from grader.review.questions.oracle import Oracle


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course()


@pytest.fixture(scope="module")
def questions(course: Course) -> list[Question]:
    return [question for quiz in load_quizzes(course).values() for question in quiz]


def right_answer(drawn: Drawn, key: Key) -> str:
    """What somebody types who knows the answer."""
    match drawn.question.kind:
        case "choice" | "multi":
            assert isinstance(key.value, tuple)
            return " ".join(letter for letter, option in lettered(drawn) if option.id in key.value)
        case "code":
            return str(key.value)
        case "explain":
            return "all"
        case _:
            return key.shown


def test_the_answer_that_is_shown_is_right_for_every_question(questions: list[Question], oracle: Oracle) -> None:
    for question in questions:
        for seed in ("0", "ab12", "ffff"):
            drawn = draw(question, seed)
            solved = key(drawn, oracle)
            marked = mark(drawn, solved, right_answer(drawn, solved))
            assert isinstance(marked, Mark), (question.id, marked)
            assert (marked.score, marked.right, marked.missed) == (1.0, True, False), question.id
            assert marked.given


def test_every_known_slip_is_wrong_and_gets_its_feedback(questions: list[Question], oracle: Oracle) -> None:
    for question in questions:
        drawn = draw(question, "ab12")
        solved = key(drawn, oracle)
        for value, feedback in solved.slips:
            typed = ", ".join(map(str, value)) if question.kind == "shape" and isinstance(value, tuple) else None
            if question.kind == "short" and isinstance(value, tuple):
                typed = str(value[0])
            marked = mark(drawn, solved, typed if typed is not None else repr(value).strip("'\""))
            assert isinstance(marked, Mark)
            assert marked.missed, question.id
            assert marked.feedback in {told for _, told in solved.slips}, (question.id, value, feedback)


def test_an_empty_line_never_uses_an_attempt(questions: list[Question], oracle: Oracle) -> None:
    for question in questions:
        drawn = draw(question, "1")
        assert isinstance(mark(drawn, key(drawn, oracle), "  "), AskBack), question.id


def test_every_question_says_in_one_line_how_to_answer(questions: list[Question]) -> None:
    for question in questions:
        line = how_to_answer(draw(question, "1"))
        assert line.endswith(".")
        assert "\n" not in line


def test_what_is_logged_is_json(questions: list[Question], oracle: Oracle) -> None:
    for question in questions:
        drawn = draw(question, "1")
        assert json.loads(json.dumps(drawn.params, allow_nan=False)) == drawn.params
        json.dumps(key(drawn, oracle).value, allow_nan=False)


def test_a_section_is_a_heading_of_the_lesson(questions: list[Question], course: Course) -> None:
    found = 0
    for question in questions:
        section = lesson_section(question, course)
        sections = {exercise.section for exercise in course.lesson(question.lesson).exercises}
        assert section is None or section in sections
        found += section is not None
    assert found >= 0.9 * len(questions)


def test_the_section_is_that_of_the_exercise_with_the_same_concepts(
    make: Callable[..., Question], course: Course
) -> None:
    alibi = course.exercise("positions.alibi_slopes")
    assert lesson_section(make("short", ("a",), concepts=alibi.concepts), course) == alibi.section
    # Two exercises share these concepts alike: the answer's own call tells which is meant.
    shared = make("numeric", Call("reference.positions:apply_rope_half", {}), concepts=("rope-layout",))
    assert lesson_section(shared, course) == course.exercise("positions.apply_rope_half").section
    assert lesson_section(make("short", ("a",), concepts=("nothing-of-this",)), course) is None
