"""The course is found beside the engine in a clone and inside it in a wheel."""

from pathlib import Path

import pytest

from grader import places
from grader.errors import UserError


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site" / "grader"
    folder.mkdir(parents=True)
    monkeypatch.setattr(places, "_ENGINE", folder)
    return folder


def make_course(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "course.yaml").touch()
    return folder


def test_in_a_clone_lessons_lie_beside_the_engine(engine: Path) -> None:
    lessons = make_course(engine.parent / "lessons")
    (engine.parent / "pyproject.toml").touch()
    assert places.lessons_folder() == lessons
    assert places.reference_folder() == engine.parent / "reference"
    assert places.suites_folder() == engine / "suites"
    assert places.clone_folder() == engine.parent


def test_in_a_wheel_lessons_lie_in_the_engine_whatever_stands_beside_it(engine: Path) -> None:
    make_course(engine.parent / "lessons")
    lessons = make_course(engine / "_data" / "lessons")
    assert places.lessons_folder() == lessons
    assert places.clone_folder() is None


def test_a_course_that_is_nowhere_is_one_sentence(engine: Path) -> None:
    with pytest.raises(UserError, match=r"^There is no course at .* Install decoder-anatomy again"):
        places.lessons_folder()
