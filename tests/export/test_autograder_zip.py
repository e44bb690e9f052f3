"""The zip for Gradescope: what is in it, and its assignment."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from grader.errors import UserError
from grader.export.autograder import autograder_zip
from grader.export.task import Task, read_task

ROOT = Path(__file__).parents[2]
TASK = Task(("normalization",), seed=99, held_out=True, hide_expected=True)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A small course in a clone in which somebody has worked."""
    for name in (
        "grader/__init__.py", "grader/suites/test_first.py", "lessons/course.yaml", "reference/first.py",
        "student/first.py", "LICENSE", "README.md", "pyproject.toml",
    ):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, "utf-8")
    for name in ("grader/__pycache__/x.pyc", "student/.kept/first.py", "grader/.probe-1", "tests/x.py", ".git/config"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("left out", "utf-8")
    (tmp_path / "lessons" / "link").symlink_to("/etc/passwd")
    return tmp_path


def test_it_holds_the_scripts_and_the_course_and_nothing_else(clone):
    archive = zipfile.ZipFile(io.BytesIO(autograder_zip(clone, TASK)))
    assert archive.namelist() == [
        "LICENSE", "README.md", "assignment.json", "grader/__init__.py", "grader/suites/test_first.py",
        "lessons/course.yaml", "pyproject.toml", "reference/first.py", "run_autograder", "setup.sh", "student/first.py",
    ]  # fmt: skip
    modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
    assert (modes["setup.sh"], modes["run_autograder"], modes["assignment.json"]) == (0o755, 0o755, 0o600)


def test_it_is_the_same_byte_for_byte_each_time(clone):
    first = autograder_zip(clone, TASK)
    (clone / "README.md").touch()
    assert autograder_zip(clone, TASK) == first
    dates = {entry.date_time for entry in zipfile.ZipFile(io.BytesIO(first)).infolist()}
    assert dates == {(1980, 1, 1, 0, 0, 0)}


def test_the_real_course_has_its_hidden_parts_in_it():
    names = set(zipfile.ZipFile(io.BytesIO(autograder_zip(ROOT, TASK))).namelist())
    assert {
        "grader/suites/test_normalization.py", "grader/misconceptions/normalization.py", "reference/normalization.py",
        "lessons/normalization/lesson.yaml", "grader/export/container/run_autograder",
        "grader/capstone/weights.safetensors",
    } <= names  # fmt: skip
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests/")]


def test_an_incomplete_clone_is_one_sentence(clone):
    (clone / "LICENSE").unlink()
    with pytest.raises(UserError, match="LICENSE is missing"):
        autograder_zip(clone, TASK)


def test_the_assignment_comes_back_as_it_was(tmp_path):
    path = tmp_path / "assignment.json"
    path.write_bytes(TASK.to_json())
    assert read_task(path) == TASK


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"lessons": []}, "`lessons` is no list of lessons"),
        ({"seed": "7"}, "`seed` is no whole number"),
        ({"hide_expected": 1}, "`hide_expected` is neither true nor false"),
        ({"visibility": "sometimes"}, "`visibility` is none of visible"),
        ({"colour": "red"}, "there is no field 'colour'"),
        ({"version": 2}, "is not of version 1"),
    ],
)
def test_an_assignment_that_was_edited_wrongly_is_one_sentence(tmp_path, changed, says):
    path = tmp_path / "assignment.json"
    path.write_text(json.dumps({**json.loads(TASK.to_json()), **changed}), "utf-8")
    with pytest.raises(UserError) as caught:
        read_task(path)
    assert says in str(caught.value)
