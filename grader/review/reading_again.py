"""Where to read what the reviews show to be weak."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from grader.course.model import Course, Exercise
from grader.errors import UserError
from grader.review.history import Reviews

if TYPE_CHECKING:
    from grader.review.questions.model import Question


def concepts_asked(course: Course, reviews: Reviews) -> Mapping[str, tuple[str, ...]]:
    """The concepts of every question of the lessons that have been asked something."""
    return {question.id: question.concepts for question in _questions_asked(course, reviews)}


def exercise_of_item(course: Course, lesson: str, item: str) -> Exercise | None:
    """The exercise that a question of a lesson is about; None for a question that the course has no more."""
    from grader.review.bank import LessonBank  # what makes questions
    from grader.review.questions.oracle import Oracle

    with suppress(LookupError, UserError):
        return LessonBank(course, course.lesson(lesson), Oracle()).exercise(item)
    return None


def exercise_of_concept(course: Course, reviews: Reviews, concept: str) -> Exercise | None:
    """The exercise that the first question on a concept is about, of the lessons that have been asked something."""
    from grader.review.questions.marking import nearest_exercise

    on_it = (question for question in _questions_asked(course, reviews) if concept in question.concepts)
    return next((nearest_exercise(question, course) for question in on_it), None)


def _questions_asked(course: Course, reviews: Reviews) -> Iterator[Question]:
    from grader.review.questions.load import load_quiz  # a beginner has nothing to read quizzes for

    for lesson in course.lessons:
        if reviews.lessons[lesson.slug].all_reviews:
            yield from load_quiz(lesson)
