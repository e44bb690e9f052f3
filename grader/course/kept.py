"""The parsed course as JSON, so that a short command need not read eleven YAML files each time."""

import contextlib
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

from grader.course.model import Course, Exercise, Lesson, Limits, Minutes
from grader.keeping import Stamps, files_in, keep, place_for, recall, stamps_of

_LESSON_FILES = ("lesson.yaml", "lesson.md")


def course_stamps(folder: Path) -> Stamps:
    """What the files of a course look like from outside, and the modules that read them."""
    paths = [str(folder / "course.yaml"), *files_in(Path(__file__).parent, ".py")]
    with contextlib.suppress(OSError):  # a folder that cannot be listed is the parser's to report
        with os.scandir(folder) as entries:
            lessons = sorted(entry.path for entry in entries if entry.is_dir())
        paths += [f"{lesson}{os.sep}{name}" for lesson in lessons for name in _LESSON_FILES]
    return stamps_of(paths)


def recall_course(folder: Path, stamps: Stamps, cache: Path) -> Course | None:
    """The course that was kept when the files of `folder` looked just like this; None if there is none."""
    record = recall(place_for(cache, "course", folder), stamps)
    if record is None:
        return None
    return Course(record["title"], tuple(_lesson(lesson, folder) for lesson in record["lessons"]), folder)


def keep_course(course: Course, stamps: Stamps, cache: Path) -> None:
    """Keep a course that was parsed from files with these stamps."""
    lessons = [_plain(lesson) for lesson in course.lessons]
    keep(place_for(cache, "course", course.folder), stamps, {"title": course.title, "lessons": lessons})


def _plain(item: Any) -> Any:
    if isinstance(item, tuple):
        return [_plain(each) for each in item]
    if isinstance(item, (Lesson, Exercise, Limits, Minutes)):
        return {field.name: _plain(getattr(item, field.name)) for field in fields(item) if field.name != "folder"}
    return item


def _lesson(record: dict[str, Any], folder: Path) -> Lesson:
    return Lesson(
        **_with_tuples(record)
        | {
            "minutes": Minutes(**record["minutes"]),
            "limits": Limits(**record["limits"]),
            "exercises": tuple(Exercise(**_with_tuples(exercise)) for exercise in record["exercises"]),
            "folder": folder / record["slug"],
        }
    )


def _with_tuples(record: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
