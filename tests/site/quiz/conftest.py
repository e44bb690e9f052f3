"""A lesson with a question of each kind, completed yesterday, and the rooms in which it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from made_quiz import QUIZ, complete

from grader.course.model import Course
from grader.records.log import Log
from grader.review.companion import Companion
from grader.review.learner import LearnerRecords
from grader.site.quiz.room import QuizRoom

TODAY = "2026-03-02T12:00:00+01:00"
Room = Callable[..., QuizRoom]


@pytest.fixture
def course(
    lessons: Path, made_course: Course, made_places: None, home: Path, monkeypatch: pytest.MonkeyPatch
) -> Course:
    """The made course, the day after its first lesson was completed. Each home is of one and the same machine."""
    (lessons / "first" / "quiz.yaml").write_text(QUIZ, encoding="utf-8")
    complete(home)
    monkeypatch.setenv("ANATOMY_NOW", TODAY)
    return made_course


@pytest.fixture
def room(course: Course, home: Path) -> Iterator[Room]:
    """Makes rooms on the learner's log: `room()` is another server, or the same one started anew."""
    made: list[QuizRoom] = []

    def make(companion: Companion | None = None) -> QuizRoom:
        made.append(QuizRoom(course, LearnerRecords(Log(home)), companion))
        return made[-1]

    yield make
    for each in made:
        each.close()
