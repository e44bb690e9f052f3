"""Names of lessons and exercises are looked up as a person writes them."""

import pytest

from grader.course.model import Course, UnknownName


def ids(course: Course, text: str) -> list[str]:
    return [exercise.id for exercise in course.resolve(text)]


def test_exercises_come_in_the_order_of_the_course(made_course: Course) -> None:
    assert [each.id for each in made_course.exercises] == [
        "first.double",
        "first.shared",
        "second.halve",
        "second.shared",
    ]
    assert [made_course.position(each) for each in made_course.exercises] == [0, 1, 2, 3]
    assert made_course.points == 25


def test_any_exercises_can_be_put_in_that_order(made_course: Course) -> None:
    shuffled = [made_course.exercise(name) for name in ("second.halve", "first.shared", "second.halve")]
    assert [each.id for each in made_course.ordered(shuffled)] == ["first.shared", "second.halve"]


def test_a_lesson_means_all_its_exercises(made_course: Course) -> None:
    assert ids(made_course, "second") == ["second.halve", "second.shared"]


def test_a_function_may_be_named_with_or_without_its_lesson(made_course: Course) -> None:
    assert ids(made_course, "second.halve") == ids(made_course, "halve") == ["second.halve"]


def test_a_name_that_two_lessons_share_is_asked_back(made_course: Course) -> None:
    with pytest.raises(UnknownName) as caught:
        made_course.resolve("shared")
    assert str(caught.value) == (
        "'shared' is the name of several exercises. Write one of: first.shared, second.shared."
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("halv", "There is no lesson or exercise 'halv'. Did you mean halve?"),
        ("first.duoble", "There is no lesson or exercise 'first.duoble'. Did you mean first.double?"),
        ("secnd", "There is no lesson or exercise 'secnd'. Did you mean second?"),
        ("xyz", "There is no lesson or exercise 'xyz'. `anatomy list` names them all."),
        ("", "There is no lesson or exercise ''. `anatomy list` names them all."),
    ],
)
def test_an_unknown_name_gets_the_nearest_one(made_course: Course, text: str, says: str) -> None:
    with pytest.raises(UnknownName) as caught:
        made_course.resolve(text)
    assert str(caught.value) == says


def test_where_one_exercise_is_needed_a_lesson_is_refused(made_course: Course) -> None:
    with pytest.raises(UnknownName) as caught:
        made_course.resolve_exercise("first")
    assert str(caught.value) == (
        "'first' is a whole lesson; one exercise is needed here. Write one of: first.double, first.shared."
    )


def test_lookups_by_exact_name_refuse_others(made_course: Course) -> None:
    with pytest.raises(UnknownName, match=r"There is no lesson 'firts'. Did you mean first\?"):
        made_course.lesson("firts")
    with pytest.raises(UnknownName, match=r"There is no exercise 'double'. Did you mean first.double\?"):
        made_course.exercise("double")
    with pytest.raises(UnknownName, match=r"Lesson first has no exercise 'duoble'. Did you mean first.double\?"):
        made_course.lesson("first").exercise("duoble")
    assert made_course.has("first.double")
    assert not made_course.has("third.double")
