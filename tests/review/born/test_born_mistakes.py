"""Every mistake of the catalogue makes a question, and what it calls right is right."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest
from nightly import share
from reading_back import DIGITS, agrees, worked_out

from grader.course.load import load_course
from grader.course.model import Course
from grader.grading import flawed_function
from grader.review.born.mistakes import question
from grader.review.born.named import NoQuestion, born_items, parts

LESSONS = [lesson.slug for lesson in load_course().lessons]
SEED = "5eed"
NAMED = "normalization.rms_norm.no-root"


SLOW = {"model": 12, "training": 12}
"""Lessons whose functions take long: of their mistakes one in so many is tried by day, of the others every second."""


def items(course: Course, lesson: str) -> list[str]:
    flawed = [flawed_function(exercise) for exercise in course.lesson(lesson).exercises]
    return [f"mistake/{mistake.id}" for each in flawed if each for mistake in each.misconceptions]


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_mistake_of_the_catalogue_makes_a_question(course: Course, lesson: str) -> None:
    for item in share(items(course, lesson), of=SLOW.get(lesson, 6)):
        made = question(item, SEED, course)
        assert made.id == item
        assert made.kind == "choice"
        assert made.lesson == lesson
        assert sum(option.right for option in made.options) == 1, item
        assert len(made.options) >= 3, item
        assert len({option.text for option in made.options}) == len(made.options), item
        assert len({option.id for option in made.options}) == len(made.options), item
        assert all(option.feedback and len(option.id) > 1 for option in made.options), item
        assert all(len(line) <= 130 for line in made.prompt.splitlines() if "says" not in line and line[:1] != ">"), (
            item
        )
        told = worked_out(made, course)
        if told is not ...:
            digits = int(found[1]) if (found := DIGITS.search(made.prompt)) else 12
            agreeing = [option.right for option in made.options if agrees(option.text, told, digits)]
            assert agreeing == [True], f"{item}: {told}"


@pytest.mark.parametrize("seed", share(["2b", "1", "c0ffee"], of=3))
def test_numbers_are_worked_out_rightly_with_any_seed(course: Course, seed: str) -> None:
    seen = 0
    for lesson in LESSONS:
        for item in items(course, lesson)[:: 1 if lesson == "normalization" else 9]:
            exercise = item.partition("/")[2].rpartition(".")[0]
            if exercise.startswith("model.") or exercise == "training.adamw_step":
                continue
            made = question(item, seed, course)
            told = worked_out(made, course)
            if told is not ...:
                digits = int(found[1]) if (found := DIGITS.search(made.prompt)) else 12
                assert [o.right for o in made.options if agrees(o.text, told, digits)] == [True], f"{item}: {told}"
                seen += 1
    assert seen > 60


def test_a_seed_is_a_question(course: Course) -> None:
    assert question(f"mistake/{NAMED}", "1", course) == question(f"mistake/{NAMED}", "1", course)
    assert question(f"mistake/{NAMED}", "1", course).prompt != question(f"mistake/{NAMED}", "2", course).prompt


def test_the_old_mistake_is_one_of_the_options(course: Course) -> None:
    made = question(f"mistake/{NAMED}", SEED, course)
    assert "divide by its root" in made.prompt
    assert [option.feedback for option in made.options if option.id == "mistake"] == ["That is the old mistake again."]
    assert "lesson.md#a-root-too-many-or-too-few" in made.explanation


def test_where_no_number_tells_a_law_is_asked_about(course: Course) -> None:
    made = question("mistake/normalization.rms_norm.changes-x", SEED, course)
    assert "*fail*" in made.prompt
    right = next(option for option in made.options if option.right)
    assert right.id == "leaves_arguments_alone"


@pytest.mark.parametrize(
    "item", ["mistake/normalization.rms_norm.gone", "mistake/normalization.gone.no-root", "mistake/x"]
)
def test_a_mistake_that_the_course_no_longer_knows_has_no_question(course: Course, item: str) -> None:
    with pytest.raises(NoQuestion):
        question(item, SEED, course)


@dataclass
class History:
    passes: dict[str, tuple[date, ...]] = field(default_factory=dict)


@dataclass
class Past:
    named: dict[str, date]
    lessons: dict[str, History] = field(default_factory=dict)


def live(course: Course, named: dict[str, int], passed: dict[str, tuple[int, ...]] | None = None) -> list[str]:
    days = {f"mistake/{id_}": tuple(date(2026, 3, day) for day in at) for id_, at in (passed or {}).items()}
    past: Any = Past({id_: date(2026, 3, day) for id_, day in named.items()}, {"normalization": History(days)})
    return [item.id.removeprefix("mistake/") for item in born_items(past, course)]


def test_a_named_mistake_is_live_until_two_rungs_are_passed_after_it(course: Course) -> None:
    assert live(course, {NAMED: 1}) == [NAMED]
    assert live(course, {NAMED: 1}, {NAMED: (2,)}) == [NAMED]
    assert live(course, {NAMED: 1}, {NAMED: (2, 4)}) == []


def test_naming_it_again_begins_anew(course: Course) -> None:
    assert live(course, {NAMED: 4}, {NAMED: (2, 4)}) == [NAMED]
    assert live(course, {NAMED: 4}, {NAMED: (2, 4, 8)}) == [NAMED]
    assert live(course, {NAMED: 4}, {NAMED: (2, 8, 15)}) == []


def test_two_mistakes_at_once_are_two_items(course: Course) -> None:
    both = "normalization.rms_norm.no-root+mean-removed"
    assert parts(both) == [NAMED, "normalization.rms_norm.mean-removed"]
    assert set(live(course, {both: 1})) == set(parts(both))


def test_the_latest_named_comes_first(course: Course) -> None:
    other = "normalization.layer_norm.beta-ignored"
    assert live(course, {other: 2, NAMED: 3}) == [NAMED, other]
    assert live(course, {other: 3, NAMED: 2}) == [other, NAMED]


def test_what_the_course_does_not_know_is_left_out(course: Course) -> None:
    assert live(course, {"general.changes-arguments": 1, "old.lesson.x": 1}) == []
