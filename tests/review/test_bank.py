"""Everything that a lesson can ask of a learner."""

from collections.abc import Iterator
from datetime import date

import pytest

from grader.course.load import load_course
from grader.records.fold import ExerciseProgress, Progress, Standing
from grader.review.bank import FAULT, LessonBank
from grader.review.history import LessonHistory, Reviews
from grader.review.questions.draw import draw
from grader.review.questions.oracle import Oracle
from grader.review.sessions import Asked

COURSE = load_course()
PASSED = ExerciseProgress(Standing("passed", 12, 12), Standing("passed", 12, 12), 1)
NO_PROGRESS = Progress({}, {})


def reviews(*named: str) -> Reviews:
    """A learner of whom these misconceptions were named."""
    return Reviews({"heads": LessonHistory("heads")}, named=dict.fromkeys(named, date(2026, 3, 1)))


@pytest.fixture
def heads() -> Iterator[LessonBank]:
    bank = LessonBank(COURSE, COURSE.lesson("heads"), Oracle())
    yield bank
    bank.close()


def test_to_begin_with_there_is_the_quiz(heads):
    stock = heads.stock(reviews(), NO_PROGRESS)
    assert len(stock.quiz) >= 12
    assert stock.mistakes == stock.faults == ()


def test_faults_are_to_be_found_in_functions_that_have_passed(heads):
    stock = heads.stock(reviews(), Progress({"heads.split_heads": PASSED}, {}))
    assert [item.id for item in stock.faults] == ["fault/heads.split_heads"]


def test_named_mistakes_of_this_lesson_are_asked_about_both_of_a_pair(heads):
    named = ("heads.repeat_kv.tiled+no-swap", "attention.attention.detached", "general.changing-answers")
    stock = heads.stock(reviews(*named), NO_PROGRESS)
    assert [item.id for item in stock.mistakes] == ["mistake/heads.repeat_kv.no-swap", "mistake/heads.repeat_kv.tiled"]


@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_every_function_has_a_fault_to_be_found(exercise):
    bank = LessonBank(COURSE, COURSE.lesson(exercise.lesson), Oracle())
    try:
        question = bank.question(FAULT + exercise.id, "5eed")
        assert question.id.startswith(f"fault/{exercise.id}.")
        assert bank.exercise(FAULT + exercise.id) == exercise
    finally:
        bank.close()


def test_another_seed_hides_another_fault(heads):
    found = {heads.question("fault/heads.repeat_kv", seed).id for seed in "abcdef"}
    assert len(found) > 1


def test_what_was_prepared_is_the_same_question(heads):
    heads.prepare([Asked("fault/heads.repeat_kv", 1, "5eed", "rotation")])
    other = LessonBank(COURSE, COURSE.lesson("heads"), Oracle())
    assert heads.question("fault/heads.repeat_kv", "5eed") == other.question("fault/heads.repeat_kv", "5eed")
    other.close()


def test_what_was_missed_comes_with_other_numbers_than_the_last_ones(heads):
    drawn = next(question for question in heads.quiz.values() if question.params)
    for number in range(20):
        asked = Asked(drawn.id, 1, f"5eed{number}", "pinned")
        last = draw(drawn, asked.seed).params
        (renewed,) = heads.with_new_numbers([asked], {drawn.id: last})
        assert draw(drawn, renewed.seed).params != last
        assert heads.with_new_numbers([asked], {}) == (asked,)


def test_what_was_not_missed_keeps_the_numbers_that_every_machine_draws(heads):
    drawn = next(question for question in heads.quiz.values() if question.params)
    asked = Asked(drawn.id, 1, "5eed", "rotation")
    assert heads.with_new_numbers([asked], {drawn.id: draw(drawn, "5eed").params}) == (asked,)


@pytest.mark.parametrize(
    "item", ["heads-gone", "mistake/heads.repeat_kv.unheard-of", "mistake/gone.gone.x", "fault/gone.gone"]
)
def test_what_is_no_more_is_a_lookup_error(heads, item):
    with pytest.raises(LookupError):
        heads.question(item, "5eed")


def test_every_item_leads_to_the_exercise_that_it_is_about(heads):
    assert heads.exercise("mistake/heads.repeat_kv.tiled").id == "heads.repeat_kv"
    assert {heads.exercise(item).lesson for item in heads.quiz} == {"heads"}


def test_a_question_made_of_a_mistake_is_marked_like_any_other(heads):
    drawn = draw(heads.question("mistake/heads.repeat_kv.tiled", "5eed"), "5eed")
    key = heads.key(drawn)
    right = [option.id for option in drawn.options if option.right]
    assert list(key.value) == right
    assert len(right) == 1
