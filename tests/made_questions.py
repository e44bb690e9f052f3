"""Parts of questions that several test files make."""

from collections.abc import Callable

from grader.course.model import Lesson
from grader.review.questions.model import Option

Write = Callable[..., Lesson]
"""Writes a quiz from the texts of its questions and gives the lesson that holds it."""


def options(*right: str, wrong: tuple[str, ...] = ()) -> tuple[Option, ...]:
    """Options with these ids, each with a text and feedback of its own."""
    return tuple(Option(name, f"Text of {name}.", name in right, f"About {name}.") for name in (*right, *wrong))
