"""The parsed course is kept, and never believed when its files may say something else."""

import os
from pathlib import Path

import pytest

from grader.course import parse
from grader.course.load import load_course
from grader.course.mistakes import CourseErrors
from grader.course.model import Course

pytestmark = pytest.mark.usefixtures("made_places")


@pytest.fixture
def cache(home: Path) -> Path:
    """The folder in which the course is kept."""
    return home / "cache"


def settle(cache: Path) -> None:
    """Let the files that are kept be a minute younger than what they were made from."""
    for path in cache.iterdir():
        now = path.stat().st_mtime_ns
        os.utime(path, ns=(now, now + 60_000_000_000))


@pytest.fixture
def kept(cache: Path) -> Course:
    """The made course, parsed once and kept."""
    course = load_course()
    settle(cache)
    return course


@pytest.fixture
def no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    """No YAML is read any more."""

    def refuse(folder: Path) -> Course:
        pytest.fail("the course was parsed again")

    monkeypatch.setattr(parse, "parse_course", refuse)


def test_a_kept_course_is_the_same_in_everything(kept: Course, no_parser: None) -> None:
    again = load_course()
    assert again == kept
    assert again.folder == kept.folder
    assert [lesson.folder for lesson in again.lessons] == [lesson.folder for lesson in kept.lessons]


@pytest.mark.parametrize("name", ["course.yaml", "first/lesson.yaml"])
def test_an_edit_is_seen_even_if_size_and_time_of_change_stay(kept: Course, lessons: Path, name: str) -> None:
    path = lessons / name
    before = path.stat()
    text = path.read_text("utf-8")
    path.write_text(text.replace("title: A made", "title: B made").replace("title: First", "title: Worst"), "utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert load_course() != kept
    assert load_course() == parse.parse_course(lessons)


def test_a_course_kept_within_a_tick_of_a_change_is_not_believed(cache: Path, lessons: Path) -> None:
    load_course()
    stamps = [path.stat().st_mtime_ns for path in cache.iterdir()]
    load_course()
    assert [path.stat().st_mtime_ns for path in cache.iterdir()] != stamps


def test_a_mistake_made_later_is_reported(kept: Course, lessons: Path) -> None:
    (lessons / "first" / "lesson.md").write_text("# First\n", "utf-8")
    with pytest.raises(CourseErrors, match="anchor of no heading"):
        load_course()


def test_a_lesson_that_comes_or_goes_is_seen(kept: Course, lessons: Path) -> None:
    (lessons / "stray").mkdir()
    (lessons / "stray" / "lesson.yaml").write_text("title: Stray\n", "utf-8")
    with pytest.raises(CourseErrors, match=r"stray is not in course\.yaml"):
        load_course()
    (lessons / "stray" / "lesson.yaml").unlink()
    (lessons / "first" / "lesson.yaml").unlink()
    with pytest.raises(CourseErrors, match="the file is missing"):
        load_course()


def test_a_course_with_mistakes_is_not_kept(cache: Path, lessons: Path) -> None:
    (lessons / "course.yaml").write_text("title: A\nlessons: [first]\n", "utf-8")
    with pytest.raises(CourseErrors):
        load_course()
    assert not cache.exists()


@pytest.mark.parametrize(
    "damaged",
    [
        lambda content: b"",
        lambda content: content[:-100],
        lambda content: content.replace(b"First", b"Worst", 1),
        lambda content: content.replace(b"{", b"[", 1),
        lambda content: b"\xff" + content[1:],
        lambda content: bytes(len(content)),
    ],
    ids=["empty", "cut off", "other words", "other signs", "no text", "zeros"],
)
def test_a_damaged_file_is_ignored_and_replaced(kept: Course, cache: Path, damaged: object) -> None:
    (path,) = cache.iterdir()
    content = path.read_bytes()
    path.write_bytes(damaged(content))  # type: ignore[operator]  # one of the functions above
    settle(cache)
    assert load_course() == kept
    assert path.read_bytes() == content


def test_where_nothing_can_be_kept_the_course_is_read_each_time(cache: Path, lessons: Path) -> None:
    cache.parent.mkdir()
    cache.write_text("a file in place of the folder")
    assert load_course() == parse.parse_course(lessons)
    assert load_course() == parse.parse_course(lessons)


def test_a_folder_in_place_of_the_file_is_no_obstacle(kept: Course, cache: Path) -> None:
    (path,) = cache.iterdir()
    path.unlink()
    path.mkdir()
    assert load_course() == kept


def test_two_courses_on_one_machine_are_kept_apart(
    kept: Course, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    (other / "only").mkdir(parents=True)
    for name in ("lesson.yaml", "lesson.md"):
        (other / "only" / name).write_text((kept.folder / "first" / name).read_text("utf-8"), "utf-8")
    (other / "course.yaml").write_text("title: Another\nlessons: [only]\n", "utf-8")
    monkeypatch.setattr("grader.places.lessons_folder", lambda: other)
    assert load_course().title == "Another"
    assert len(list(cache.iterdir())) == 2


def test_a_folder_that_is_named_is_always_read_afresh(cache: Path, lessons: Path) -> None:
    load_course(lessons)
    assert not cache.exists()
