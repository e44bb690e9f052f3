"""The recorded quizzes: the course's own questions, with the keys that the reference gives, twenty draws of each."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from nightly import share

from grader.course.load import load_course
from grader.course.mistakes import CourseErrors
from grader.release.recording import INSTANCES
from grader.review.questions.draw import draw, draw_params
from grader.review.questions.load import load_quiz
from grader.review.questions.marking import key
from grader.review.questions.model import Question, Variant
from grader.review.questions.oracle import Oracle
from grader.review.questions.recorded import RecordedKeys

LESSONS = [lesson.slug for lesson in load_course().lessons]


def keys_of(released: Path) -> Path:
    return released / "grader" / "_data" / "bundle" / "keys"


def test_twenty_draws_of_every_question(released: Path) -> None:
    for lesson in load_course().lessons:
        written = json.loads((keys_of(released) / f"{lesson.slug}.json").read_text("utf-8"))["questions"]
        assert {name: (each["version"], len(each["keys"])) for name, each in written.items()} == {
            question.id: (question.version, 20) for question in load_quiz(lesson)
        }


def test_the_questions_are_the_courses_own(released: Path) -> None:
    """But for the slips that the catalogue would have to evaluate."""
    course, theirs = load_course(), load_course(released / "lessons")
    for lesson in course.lessons:
        for mine, other in zip(load_quiz(lesson), load_quiz(theirs.lesson(lesson.slug)), strict=True):
            assert replace(other, also=()) == replace(mine, also=())
            assert all(slip in mine.also for slip in other.also)
            assert not [slip for slip in other.also if isinstance(slip.value, Variant)]


@pytest.mark.parametrize("lesson", share(LESSONS, of=6))
def test_a_recorded_key_is_what_the_reference_gives(released: Path, lesson: str) -> None:
    recorded, oracle = RecordedKeys(keys_of(released)), Oracle()
    for question in load_quiz(load_course().lesson(lesson)):
        for seed in ("0", "learner-1", "learner-2"):
            pooled = draw(replace(question, pool=INSTANCES), seed)
            assert key(pooled, recorded) == key(pooled, oracle), question.id


def test_a_pool_has_so_many_draws() -> None:
    """Every draw of it is one of the whole course's first twenty, and all of them come up."""
    question = next(each for each in load_quiz(load_course().lesson("normalization")) if len(each.params) > 2)
    pooled = replace(question, pool=INSTANCES)
    seen = [draw_params(pooled, f"learner-{n}") for n in range(400)]
    possible = [draw_params(question, str(n)) for n in range(INSTANCES)]
    assert all(params in possible for params in seen)
    assert all(params in seen for params in possible)


@pytest.mark.parametrize("damage", [b"", b"{", b'{"version": 9, "questions": {}}', b"[]"])
def test_damaged_keys_are_told_in_a_sentence(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "made.json").write_bytes(damage)
    question = Question("made-x", "made", 1, "numeric", (), "", "", 1.0, pool=INSTANCES)
    with pytest.raises(CourseErrors, match="install this again"):
        key(draw(question, "1"), RecordedKeys(tmp_path))


def test_an_item_that_is_not_recorded_is_told(tmp_path: Path) -> None:
    (tmp_path / "made.json").write_text('{"version": 1, "questions": {}}')
    question = Question("made-x", "made", 1, "numeric", (), "", "", 1.0, pool=INSTANCES)
    with pytest.raises(CourseErrors, match="the answers to made-x are missing"):
        key(draw(question, "1"), RecordedKeys(tmp_path))
