"""A workspace is found from anywhere in it, and made without harm to what is there."""

from pathlib import Path

import pytest

from grader.course.model import Course
from grader.errors import UserError
from grader.workspace import Workspace, find_workspace, start

pytestmark = pytest.mark.usefixtures("made_places")

README = """\
# A made course

Your workspace. The files in `student/` are yours: each function waits for its body.

1. First: read `lessons/first/lesson.md`, fill in `student/first.py`
2. Second: read `lessons/second/lesson.md`, fill in `student/second.py`

From any folder in here:

    anatomy serve                  the lessons in the browser, graded as you save
    anatomy status                 where you stand and what comes next
    anatomy grade first            grade a lesson
    anatomy grade first.double     grade one function
    anatomy hint first.double      a hint, one step at a time
    anatomy reset first.double     back to the stub; your text is kept aside
    anatomy solution first.double  the answer, once yours has passed
    anatomy submit -o FILE.zip     pack what you hand in
"""


@pytest.mark.parametrize("below", [".", "student", "lessons/first", "student/deeper"])
def test_a_workspace_is_found_from_inside(tmp_path: Path, made_course: Course, below: str) -> None:
    root = tmp_path / "work"
    start(root, made_course)
    inside = root / below
    inside.mkdir(exist_ok=True)
    assert find_workspace(inside, made_course) == Workspace(root, root / "student")


def test_one_lesson_module_makes_a_workspace(tmp_path: Path, made_course: Course) -> None:
    (tmp_path / "student").mkdir()
    (tmp_path / "student" / "second.py").touch()
    assert find_workspace(tmp_path, made_course).module("first") == tmp_path / "student" / "first.py"


def test_a_folder_student_without_lessons_is_none(tmp_path: Path, made_course: Course) -> None:
    (tmp_path / "student").mkdir()
    (tmp_path / "student" / "notes.py").touch()
    with pytest.raises(UserError) as caught:
        find_workspace(tmp_path, made_course)
    assert str(caught.value) == (
        f"There is no student/first.py in {tmp_path} or in a folder above it. "
        "Go to your workspace, or make one here with `anatomy start`."
    )


def test_start_writes_stubs_pages_and_a_readme(tmp_path: Path, made_course: Course) -> None:
    root = tmp_path / "new" / "work"
    started = start(root, made_course)
    assert [str(path.relative_to(root)) for path in started.written] == [
        "student/__init__.py",
        "student/first.py",
        "student/second.py",
        "lessons/first/lesson.md",
        "lessons/second/lesson.md",
        "README.md",
    ]
    assert started.kept == ()
    assert "raise NotImplementedError" in (root / "student" / "first.py").read_text(encoding="utf-8")
    assert (root / "README.md").read_text(encoding="utf-8") == README


def test_start_gives_away_neither_points_nor_hints(tmp_path: Path, made_course: Course) -> None:
    start(tmp_path / "work", made_course)
    assert not list((tmp_path / "work").rglob("*.yaml"))


def test_start_never_writes_over_anything(tmp_path: Path, made_course: Course) -> None:
    root = tmp_path / "work"
    (root / "student").mkdir(parents=True)
    (root / "student" / "first.py").write_text("mine\n")
    (root / "README.md").symlink_to(root / "nowhere")
    started = start(root, made_course)
    assert started.kept == (root / "student" / "first.py", root / "README.md")
    assert (root / "student" / "first.py").read_text() == "mine\n"
    assert not (root / "nowhere").exists()
    assert start(root, made_course).written == ()


def test_start_inside_student_completes_the_workspace_around_it(tmp_path: Path, made_course: Course) -> None:
    root = tmp_path / "work"
    start(root, made_course)
    (root / "student" / "second.py").unlink()
    started = start(root / "student", made_course)
    assert started.workspace.root == root
    assert started.written == (root / "student" / "second.py",)


@pytest.mark.parametrize("blocked", ["", "student", "lessons"])
def test_start_names_a_file_that_is_in_the_way(tmp_path: Path, made_course: Course, blocked: str) -> None:
    root = tmp_path / "work"
    if blocked:
        root.mkdir()
    (root / blocked).write_text("a file\n")
    with pytest.raises(UserError, match=r"Choose another folder\.$"):
        start(root, made_course)
    assert (root / blocked).read_text() == "a file\n"
