"""The course is read whole or refused whole, with every mistake at once."""

import pickle
from pathlib import Path

import pytest

from grader.course.load import load_course
from grader.course.mistakes import CourseErrors
from grader.course.model import Limits, Minutes


def mistakes_of(lessons: Path) -> list[str]:
    with pytest.raises(CourseErrors) as caught:
        load_course(lessons)
    return [str(mistake).replace(str(lessons) + "/", "") for mistake in caught.value.mistakes]


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_lesson_holds_what_its_file_says(lessons: Path) -> None:
    lesson = load_course(lessons).lesson("second")
    assert (lesson.title, lesson.needs, lesson.sources) == ("Second", ("first",), ())
    assert lesson.minutes == Minutes(20, 30, 10)
    assert lesson.minutes.total == 60
    assert lesson.limits == Limits(seconds=1.5, memory_mb=1024, output_kb=64)
    assert lesson.points == 11
    assert lesson.page == lessons / "second" / "lesson.md"
    halve = lesson.exercise("halve")
    assert (halve.id, halve.lesson, halve.points, halve.section) == ("second.halve", "second", 6, "halving")
    assert (halve.concepts, halve.forbidden, halve.hints) == (("scale",), (), ("One?", "Two.", "Three."))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("title: First\n", "", "first/lesson.yaml:1: the lesson has no `title`; write `title:` and a text"),
        ("limits:", "limit:", "second/lesson.yaml:6: the lesson has no key `limit`; did you mean `limits`?"),
        ("title: First", "title: 3", 'first/lesson.yaml:1: `title` is a whole number (3); write a text, in "quotes" if it looks like something else'),
        ("title: First", "title: ' '", "first/lesson.yaml:1: `title` is blank; write a text"),
        ("title: First", "title: [a]", 'first/lesson.yaml:1: `title` is a list; write a text, in "quotes" if it looks like something else'),
        ("{reading: 5, lab: 10, review: 2}", "17", "first/lesson.yaml:3: `minutes` is a whole number (17); write a table with the keys reading, lab, review"),
        ("reading: 5", "reading: 5.5", "first/lesson.yaml:3: `reading` is a number (5.5); write a whole number above 0"),
        ("reading: 5", "reading: 0", "first/lesson.yaml:3: `reading` is 0; write a whole number above 0"),
        ("reading: 5, ", "", "first/lesson.yaml:3: `minutes` has no `reading`; write `reading:` and a whole number above 0"),
        ("needs: []", "needs: [second]", "first/lesson.yaml:4: `needs` names second, which does not come before first; earlier are: none, so write []"),
        ("needs: []", "needs: [first]", "first/lesson.yaml:4: `needs` names first, which does not come before first; earlier are: none, so write []"),
        ("needs: []", "needs: [secnd]", "first/lesson.yaml:4: `needs` names 'secnd', which is no lesson; did you mean `second`?"),
        ("needs: []", "needs: none", "first/lesson.yaml:4: `needs` is a text; write a list of texts, [] if there is none"),
        ("needs: []", "needs:", "first/lesson.yaml:4: `needs` is nothing; write a list of texts, [] if there is none"),
        ("points: 10", "points: 2.5", "first/lesson.yaml:9: `points` is a number (2.5); write a whole number above 0"),
        ("points: 10", "points: -1", "first/lesson.yaml:9: `points` is -1; write a whole number above 0"),
        ("points: 10", "points: ten", "first/lesson.yaml:9: `points` is a text; write a whole number above 0"),
        ("name: shared", "name: double", "first/lesson.yaml:17: exercise double is here a second time (first in line 8); rename or remove one"),
        ("name: shared", "name: _shared", "first/lesson.yaml:17: '_shared' is no exercise name; write a Python function name in lower case"),
        ("name: shared", "name: lambda", "first/lesson.yaml:17: 'lambda' is no exercise name; write a Python function name in lower case"),
        ("section: doubling", "section: doublin", "first/lesson.yaml:10: `section` is 'doublin', which is the anchor of no heading in lesson.md; did you mean `doubling`?"),
        ("concepts: [scale]", "concepts: [The_Scale]", "first/lesson.yaml:11: the concept 'The_Scale' is not kebab-case; write it like `layer-norm`"),
        ("concepts: [scale]", "concepts: []", "first/lesson.yaml:11: `concepts` is empty; name at least one, in kebab-case"),
        ("forbidden: [identity]", "forbidden: [nn.Identity]", "first/lesson.yaml:22: 'nn.Identity' in `forbidden` is not a last name; write `Identity` alone"),
        ('["Which value?", "The argument."]', "[One.]", "first/lesson.yaml:23: there are 1 hints; write two or three: a question, the idea, nearly the line"),
        ('["Which value?", "The argument."]', "[a, b, c, d]", "first/lesson.yaml:23: there are 4 hints; write two or three: a question, the idea, nearly the line"),
        ('"Multiply by two."', '"Multiply\\nby two."', "first/lesson.yaml:12: `todo` has several lines; write one"),
        ("sources:\n", "limits: {seconds: fast}\nsources:\n", "first/lesson.yaml:5: `seconds` is a text; write a number above 0"),
        ("sources:\n", "limits: {seconds: .inf}\nsources:\n", "first/lesson.yaml:5: `seconds` is inf; write a number above 0"),
        ("sources:\n", "limits: {memory_mb: .nan}\nsources:\n", "first/lesson.yaml:5: `memory_mb` is a number (.nan); write a whole number above 0"),
        ("sources:\n", "colour: red\nsources:\n", "first/lesson.yaml:5: the lesson has no key `colour`; known are: title, summary, minutes, needs, sources, limits, exercises"),
    ],
)  # fmt: skip
def test_a_mistake_says_where_and_what_to_write(lessons: Path, old: str, new: str, says: str) -> None:
    change(lessons / says.partition(":")[0], old, new)
    assert mistakes_of(lessons) == [says]


def test_all_mistakes_of_all_files_come_at_once(lessons: Path) -> None:
    change(lessons / "first" / "lesson.yaml", "points: 10", "points: 0")
    change(lessons / "first" / "lesson.yaml", "title: First", "titel: First")
    change(lessons / "second" / "lesson.yaml", "section: halving", "section: halfing")
    change(lessons / "second" / "lesson.yaml", "needs: [first]\n", "needs: [first]\nneeds: []\n")
    assert mistakes_of(lessons) == [
        "first/lesson.yaml:1: the lesson has no `title`; write `title:` and a text",
        "first/lesson.yaml:1: the lesson has no key `titel`; did you mean `title`?",
        "first/lesson.yaml:9: `points` is 0; write a whole number above 0",
        "second/lesson.yaml:5: the key `needs` is here a second time (first in line 4); keep one",
        "second/lesson.yaml:11: `section` is 'halfing', which is the anchor of no heading in lesson.md; did you mean `halving`?",
    ]  # fmt: skip


def test_the_error_reads_as_a_list(lessons: Path) -> None:
    change(lessons / "course.yaml", "title: A made course\n", "")
    with pytest.raises(CourseErrors) as caught:
        load_course(lessons)
    path = lessons / "course.yaml"
    assert str(caught.value) == (
        f"The course has a mistake:\n  {path}:1: the course has no `title`; write `title:` and a text"
    )
    assert caught.value.exit_code == 2


def test_a_listed_lesson_needs_its_files(lessons: Path) -> None:
    change(lessons / "course.yaml", "second]", "second, third]")
    assert mistakes_of(lessons) == [
        "third/lesson.md: the file is missing",
        "third/lesson.yaml: the file is missing",
    ]


def test_a_lesson_that_is_not_listed_is_a_mistake(lessons: Path) -> None:
    change(lessons / "course.yaml", "first, second", "first")
    assert mistakes_of(lessons) == [
        "second/lesson.yaml: lesson second is not in course.yaml; add it to `lessons` or move the folder away"
    ]


def test_names_in_the_list_of_lessons_are_module_names_each_once(lessons: Path) -> None:
    change(lessons / "course.yaml", "[first, second]", "[first, second, first, ../evil, 3]")
    assert mistakes_of(lessons) == [
        "course.yaml:2: '../evil' is no lesson name; write a Python module name in lower case",
        'course.yaml:2: an entry of `lessons` is a whole number (3); write a text, in "quotes" if it looks like something else',
        "course.yaml:2: lesson first is listed twice; keep one",
    ]  # fmt: skip


def test_an_empty_lesson_is_a_mistake(lessons: Path) -> None:
    path = lessons / "first" / "lesson.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.index("exercises:")] + "exercises: []\n", encoding="utf-8")
    assert mistakes_of(lessons) == ["first/lesson.yaml:7: `exercises` is empty; write at least one entry"]


def test_a_file_that_is_no_table_is_one_mistake(lessons: Path) -> None:
    (lessons / "first" / "lesson.yaml").write_text("- a\n- b\n", encoding="utf-8")
    assert mistakes_of(lessons) == [
        "first/lesson.yaml:1: the lesson is a list; write a table with the keys title, summary, minutes, needs, sources, limits, exercises",
    ]  # fmt: skip


def test_the_real_course_has_no_mistake() -> None:
    course = load_course()
    assert course.exercises


def test_its_mistakes_survive_the_way_to_another_process(lessons: Path) -> None:
    (lessons / "course.yaml").write_text("title: A\nlessons: [nowhere]\n", encoding="utf-8")
    with pytest.raises(CourseErrors) as caught:
        load_course(lessons)
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301  # made in the same line
    assert again.mistakes == caught.value.mistakes
    assert str(again) == str(caught.value)
