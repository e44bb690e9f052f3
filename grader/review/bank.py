"""Everything that a lesson can ask: its quiz, the learner's own mistakes, faults to be found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import Any

from grader.course.model import Course, Exercise, Lesson
from grader.edition import bundle
from grader.records.fold import Progress
from grader.review.born import named
from grader.review.history import Reviews
from grader.review.questions.draw import draw_params
from grader.review.questions.load import load_quiz
from grader.review.questions.marking import key, nearest_exercise
from grader.review.questions.model import Call, Drawn, Key, Question
from grader.review.questions.oracle import Oracle
from grader.review.selection import PINNED, Item, Stock
from grader.review.sessions import Asked

_MOST_DRAWS = 16
FAULT = "fault/"
"""`fault/heads.split_heads` is an item: find the fault in that function. Which one it is depends on the seed."""


class LessonBank:
    """The questions of one lesson for one learner.

    What is in it is known at once, without torch. Questions about mistakes and faults take a second to make: `prepare`
    makes them while others are answered.
    """

    def __init__(self, course: Course, lesson: Lesson, oracle: Oracle) -> None:
        self._course = course
        self._lesson = lesson
        self._oracle = oracle
        self._hand = ThreadPoolExecutor(1, f"bank-{lesson.slug}")
        self._made: dict[tuple[str, str], Future[Question]] = {}

    def close(self) -> None:
        """Make no more."""
        self._hand.shutdown(wait=True, cancel_futures=True)

    @cached_property
    def quiz(self) -> dict[str, Question]:
        """The questions of `quiz.yaml` by id. Raises CourseErrors."""
        return {question.id: question for question in load_quiz(self._lesson)}

    def stock(self, reviews: Reviews, progress: Progress) -> Stock:
        """What may be asked of this learner now. A fault stands in right code, so its exercise has been passed."""
        quiz = tuple(Item(each.id, each.version, each.rungs) for each in self.quiz.values())
        if bundle() is not None:  # mistakes and faults are made from the catalogue
            return Stock(quiz=quiz, mistakes=(), faults=())
        born = [each.id for each in named.born_items(reviews, self._course) if each.lesson == self._lesson.slug]
        passed = [each.id for each in self._lesson.exercises if progress.exercise(each).best.done]
        return Stock(
            quiz=quiz,
            mistakes=tuple(Item(id_, named.VERSION) for id_ in born),
            faults=tuple(Item(FAULT + id_, named.VERSION) for id_ in passed),
        )

    def with_new_numbers(self, asked: Iterable[Asked], before: Mapping[str, Any]) -> tuple[Asked, ...]:
        """The same items, but what was missed is asked with other numbers than those with which it was asked last.

        before: the numbers of the last answer to each item. An item with one set of numbers keeps it.
        """
        return tuple(self._renewed(each, before) if each.why == PINNED else each for each in asked)

    def _renewed(self, asked: Asked, before: Mapping[str, Any]) -> Asked:
        question = self.quiz.get(asked.item)
        if question is None or not question.params:
            return asked
        seeds = [asked.seed, *(f"{asked.seed}-{place}" for place in range(1, _MOST_DRAWS))]
        fresh = (seed for seed in seeds if draw_params(question, seed) != before.get(asked.item))
        return replace(asked, seed=next(fresh, asked.seed))

    def prepare(self, asked: Iterable[Asked]) -> None:
        """Import torch, if it is needed, and make the questions that take long, in the background. Returns at once."""
        for each in asked:
            question = self.quiz.get(each.item)
            if question is None:
                self._make(each.item, each.seed)
            elif isinstance(question.answer, Call):
                self._hand.submit(_import_torch)

    def question(self, item: str, seed: str) -> Question:
        """The question of an item. Raises LookupError for one that is no more, or that nothing can be asked about."""
        if item.startswith((named.PREFIX, FAULT)):
            return self._make(item, seed).result()
        return self.quiz[item]

    def knows(self, item: str) -> bool:
        """Whether the course still has what an item is about."""
        kind, slash, of = item.partition("/")
        if slash:
            return self._course.has(of if f"{kind}/" == FAULT else of.rpartition(".")[0])
        return item in self.quiz

    def exercise(self, item: str) -> Exercise:
        """The exercise that an item is about, to be read about and written again."""
        kind, slash, of = item.partition("/")
        if slash:
            return self._course.exercise(of if f"{kind}/" == FAULT else of.rpartition(".")[0])
        return nearest_exercise(self.quiz[item], self._course)

    def key(self, drawn: Drawn) -> Key:
        """What is right, with these numbers."""
        return key(drawn, self._oracle)

    def _make(self, item: str, seed: str) -> Future[Question]:
        if (item, seed) not in self._made:
            self._made[item, seed] = self._hand.submit(self._made_now, item, seed)
        return self._made[item, seed]

    def _made_now(self, item: str, seed: str) -> Question:
        from grader.review.born import faults, mistakes  # they import torch

        if item.startswith(named.PREFIX):
            return mistakes.question(item, seed, self._course)
        if not self._course.has(item.removeprefix(FAULT)):
            raise named.NoQuestion(f"the course has no exercise {item.removeprefix(FAULT)}")
        exercise = self._course.exercise(item.removeprefix(FAULT))
        for question in faults.askable(faults.candidates([exercise]), seed, self._course):
            return question
        raise named.NoQuestion(f"no fault of {exercise.id} can be shown")


def _import_torch() -> None:
    import torch  # noqa: F401  what answers need
