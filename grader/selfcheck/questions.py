"""The quizzes against themselves: every question is drawn with many seeds."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from grader.course.load import load_course
from grader.course.mistakes import CourseErrors, Mistake

DRAWS = 200


def lint_quizzes(slugs: Sequence[str], jobs: int) -> tuple[int, list[Mistake]]:
    """How many questions the lessons have, and what is wrong with them."""
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(_lint_quiz, slugs))
    return sum(count for count, _ in found), [mistake for _, mistakes in found for mistake in mistakes]


def _lint_quiz(slug: str) -> tuple[int, list[Mistake]]:
    from grader.review.questions.lint import lint_all
    from grader.review.questions.load import load_quiz
    from grader.review.questions.oracle import Oracle

    try:
        questions = load_quiz(load_course().lesson(slug))
    except CourseErrors as errors:
        return 0, list(errors.mistakes)
    return len(questions), lint_all(questions, Oracle(), DRAWS)
