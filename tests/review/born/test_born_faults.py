"""Find the fault: one option is right for what is shown, and the others are not."""

import pytest
from nightly import NIGHTLY

from grader.course.load import load_course
from grader.course.model import Course
from grader.grading import flawed_function
from grader.review.born.bench import Bench
from grader.review.born.faults import PREFIX, askable, candidates, question
from grader.review.born.named import NoQuestion

LESSONS = [lesson.slug for lesson in load_course().lessons]
EACH = 3 if NIGHTLY else 1
"""Faults of each exercise that are looked at; every one is shown by the same few functions."""


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_lesson_has_faults_to_find(course: Course, lesson: str) -> None:
    exercises = course.lesson(lesson).exercises
    found = []
    for exercise in exercises:
        items = candidates([exercise])
        for made in list(askable(items[:: max(1, len(items) // EACH)], "fa17", course))[:EACH]:
            assert made.kind == "choice"
            assert made.id in items
            assert sum(option.right for option in made.options) == 1, made.id
            assert 3 <= len(made.options) <= 4, made.id
            assert len({option.text for option in made.options}) == len(made.options), made.id
            assert "one fault" in made.prompt
            found.append(made.id)
    assert len(found) >= min(5, EACH * len(exercises))


def test_the_right_statement_is_that_of_the_mistake(course: Course) -> None:
    seen = set()
    for seed in range(12):
        made = question(PREFIX + "normalization.rms_norm.no-root", str(seed), course)
        right = next(option for option in made.options if option.right)
        by_statement = right.text.startswith("You divide by the mean square")
        seen.add(by_statement)
        assert by_statement or "tests" in made.prompt
        assert "You divide by the mean square" not in made.prompt
        assert "```python\ndef rms_norm(x, weight, eps=None):" in made.prompt
    assert seen == {True, False}


def test_no_option_is_true_of_the_code_as_well(course: Course) -> None:
    """Neither bias is added: then neither is each of them, and it would be unfair to count that as wrong."""
    item = PREFIX + "feedforward.feed_forward.no-biases"
    for seed in range(8):
        ids = {option.id for option in question(item, str(seed), course).options}
        assert not ids & {"no-input-bias", "no-output-bias"}


def test_mistakes_of_one_behaviour_do_not_meet(course: Course) -> None:
    for exercise in course.exercises:
        flawed = flawed_function(exercise)
        assert flawed is not None
        same = [mistake for mistake in flawed.misconceptions if mistake.same_as]
        for mistake in same[:2]:
            try:
                options = question(PREFIX + mistake.id, "5a", course).options
            except NoQuestion:
                continue
            assert not {option.id for option in options} & set(mistake.same_as), mistake.id


def test_without_code_laws_say_what_is_wrong(course: Course) -> None:
    made = question(PREFIX + "training.adamw_step.moments-changed", "1", course)
    assert "*fails*" in made.prompt
    assert "passes" in made.prompt


def test_only_passed_exercises_are_candidates(course: Course) -> None:
    exercise = course.exercise("normalization.rms_norm")
    items = candidates([exercise])
    assert all(item.startswith("fault/normalization.rms_norm.") for item in items)
    assert len(items) == len(Bench(exercise, "1").flawed.misconceptions)


def test_a_seed_is_a_fault(course: Course) -> None:
    items = candidates([course.exercise("normalization.rms_norm"), course.exercise("normalization.layer_norm")])
    one, again, other = (next(askable(items, seed, course)) for seed in ("1", "1", "2"))
    assert one == again
    assert one != other


def test_an_unknown_fault_has_no_question(course: Course) -> None:
    with pytest.raises(NoQuestion):
        question(PREFIX + "normalization.rms_norm.gone", "1", course)
