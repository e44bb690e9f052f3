"""The fingerprint: what can change a verdict changes it, and nothing else does."""

import shutil

import pytest

from grader.batch import fingerprint as module
from grader.batch.fingerprint import fingerprint, lessons_needed
from grader.course.load import load_course
from grader.places import engine_folder, lessons_folder, reference_folder


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A copy of what verdicts on normalization rest on."""
    engine, reference, lessons = tmp_path / "grader", tmp_path / "reference", tmp_path / "lessons"
    for room in (*module.ENGINE_ROOMS, "suites", "misconceptions"):
        shutil.copytree(engine_folder() / room, engine / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(engine_folder() / "grading.py", engine)
    shutil.copytree(reference_folder(), reference, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(lessons_folder(), lessons)
    monkeypatch.setattr(module, "engine_folder", lambda: engine)
    monkeypatch.setattr(module, "reference_folder", lambda: reference)
    monkeypatch.setattr(module, "suites_folder", lambda: engine / "suites")
    return tmp_path


def parts_of(folder):
    return fingerprint(load_course(folder / "lessons"), ["normalization"])


@pytest.mark.parametrize(
    ("file", "part"),
    [
        ("grader/grading.py", "the engine"),
        ("grader/judge/tolerance.py", "the engine"),
        ("grader/judge/source/forbidden.py", "the engine"),
        ("grader/sandbox/inside/worker.py", "the engine"),
        ("grader/suites/test_normalization.py", "lesson normalization"),
        ("grader/misconceptions/normalization.py", "lesson normalization"),
        ("reference/normalization.py", "lesson normalization"),
        ("lessons/normalization/lesson.yaml", "lesson normalization"),
        ("grader/misconceptions/objective/__init__.py", "lesson objective"),
        ("reference/objective.py", "lesson objective"),
    ],
)
def test_a_change_in_what_judges_is_seen_and_told_apart(copied, file, part):
    before = parts_of(copied)
    with (copied / file).open("a") as end:
        end.write("\n# changed\n")
    after = parts_of(copied)
    assert after.digest != before.digest
    assert after.changed(before.parts) == (part,)


@pytest.mark.parametrize(
    "file",
    [
        "lessons/normalization/lesson.md",
        "lessons/normalization/quiz.yaml",
        "reference/attention.py",
        "grader/suites/test_attention.py",
    ],
)
def test_what_no_verdict_rests_on_does_not_count(copied, file):
    before = parts_of(copied).digest
    with (copied / file).open("a") as end:
        end.write("\n")
    assert parts_of(copied).digest == before


def test_where_the_project_lies_does_not_matter(copied):
    assert (
        parts_of(copied).parts["lesson normalization"]
        == fingerprint(load_course(), ["normalization"]).parts["lesson normalization"]
    )


def test_a_lesson_needs_those_before_it():
    course = load_course()
    assert lessons_needed(course, ["attention", "objective"]) == ("objective", "normalization", "attention")
    assert lessons_needed(course, []) == ()
