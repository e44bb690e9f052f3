"""Small quizzes written to a temporary lesson, and questions made without a file."""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from made_questions import Write

from grader.course.mistakes import CourseErrors
from grader.course.model import Lesson, Limits, Minutes
from grader.review.questions.load import load_quiz
from grader.review.questions.model import Question
from grader.review.questions.oracle import Oracle

# A busy machine is no fault of the code: examples may take as long as they take.
hypothesis.settings.register_profile("patient", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("patient")

HEAD = """\
version: 1
concepts: [alibi]
explanation: Because.
"""


def made_lesson(folder: Path, slug: str = "positions") -> Lesson:
    return Lesson(slug, "Title", "Summary.", Minutes(1, 1, 1), (), (), Limits(), (), folder)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a quiz whose questions are these texts (`id`, `kind`, `prompt`, ...); HEAD's keys are added to each."""

    def write(*questions: str, slug: str = "positions") -> Lesson:
        folder = tmp_path / slug
        folder.mkdir(exist_ok=True)
        entries = []
        for question in questions:
            body = textwrap.dedent(question).strip("\n") + "\n" + HEAD
            entries.append("  - " + textwrap.indent(body, "    ").lstrip())
        (folder / "quiz.yaml").write_text("questions:\n" + "".join(entries), encoding="utf-8")
        return made_lesson(folder, slug)

    return write


@pytest.fixture
def one(write: Write) -> Callable[[str], Question]:
    """The question that a text describes."""

    def one(question: str) -> Question:
        (read,) = load_quiz(write(question))
        return read

    return one


@pytest.fixture
def mistakes(write: Write) -> Callable[..., list[str]]:
    """The mistakes in a quiz as `line: message`."""

    def mistakes(*questions: str) -> list[str]:
        with pytest.raises(CourseErrors) as caught:
            load_quiz(write(*questions))
        assert {mistake.path.name for mistake in caught.value.mistakes} == {"quiz.yaml"}
        return [f"{mistake.line}: {mistake.says}" for mistake in caught.value.mistakes]

    return mistakes


@pytest.fixture(scope="session")
def oracle() -> Oracle:
    return Oracle()


@pytest.fixture
def make() -> Callable[..., Question]:
    """A question without a file; what is not named is filled in."""

    def make(kind: str, answer: Any, **parts: Any) -> Question:
        known: dict[str, Any] = {
            "id": "positions-made",
            "lesson": "positions",
            "version": 1,
            "kind": kind,
            "concepts": ("alibi",),
            "prompt": "What is it?",
            "explanation": "Because.",
            "answer": answer,
        }
        return Question(**{**known, **parts})

    return make
