"""Everything that a lesson can ask: its quiz, the learner's own mistakes, faults to be found."""

from __future__ import annotations

from functools import cached_property

from grader.course.model import Course, Exercise, Lesson
from grader.records.fold import Progress
from grader.review.born import faults, mistakes
from grader.review.history import Reviews
from grader.review.questions.load import load_quiz
from grader.review.questions.marking import key, nearest_exercise
from grader.review.questions.model import Drawn, Key, Question
from grader.review.questions.oracle import Oracle
from grader.review.selection import Item, Stock


class LessonBank:
    """The questions of one lesson for one learner. Importing and listing need no torch; most answers do."""

    def __init__(self, course: Course, lesson: Lesson, oracle: Oracle) -> None:
        self._course = course
        self._lesson = lesson
        self._oracle = oracle

    @cached_property
    def quiz(self) -> dict[str, Question]:
        """The questions of `quiz.yaml` by id. Raises CourseErrors."""
        return {question.id: question for question in load_quiz(self._lesson)}

    def stock(self, reviews: Reviews, progress: Progress) -> Stock:
        """What may be asked of this learner now. Faults stand in right code, so their exercises have been passed."""
        passed = [each for each in self._lesson.exercises if progress.exercise(each).best.done]
        return Stock(
            quiz=tuple(Item(each.id, each.version, each.rungs) for each in self.quiz.values()),
            mistakes=tuple(
                Item(born.id, mistakes.VERSION)
                for born in mistakes.born_items(reviews, self._course)
                if born.lesson == self._lesson.slug
            ),
            faults=tuple(Item(each, mistakes.VERSION) for each in faults.candidates(passed)),
        )

    def question(self, item: str, seed: str) -> Question:
        """The question of an item. Raises LookupError for one that is no more, or that nothing can be asked about."""
        if item.startswith(mistakes.PREFIX):
            return mistakes.question(item, seed, self._course)
        if item.startswith(faults.PREFIX):
            return faults.question(item, seed, self._course)
        return self.quiz[item]

    def can_ask(self, item: str, seed: str) -> bool:
        """Whether there is a question of that item and that seed: not everything that goes wrong can be shown."""
        try:
            self.question(item, seed)
        except LookupError:
            return False
        return True

    def exercise(self, item: str) -> Exercise:
        """The exercise that an item is about, to be read about and written again."""
        _, slash, mistake = item.partition("/")
        if slash:
            return self._course.exercise(mistake.rpartition(".")[0])
        return nearest_exercise(self.quiz[item], self._course)

    def key(self, drawn: Drawn) -> Key:
        """What is right, with these numbers."""
        return key(drawn, self._oracle)
