"""The key to a drawn question, the mark for what was typed, and how to answer: one door to all kinds."""

import re
from collections.abc import Mapping
from typing import Protocol

from grader.course.model import Course, Exercise
from grader.review.questions.kinds import choice, code, explain, numeric, order, shape, short
from grader.review.questions.model import AskBack, Call, Drawn, Key, Kind, Mark, Question
from grader.review.questions.oracle import Oracle


class Answers(Protocol):
    """What the module of each kind of answer offers."""

    def key(self, drawn: Drawn, oracle: Oracle) -> Key: ...

    def mark(self, drawn: Drawn, key: Key, given: str) -> Mark | AskBack: ...

    def how_to_answer(self, drawn: Drawn) -> str: ...


_KINDS: Mapping[Kind, Answers] = {
    "choice": choice,
    "multi": choice,
    "numeric": numeric,
    "shape": shape,
    "order": order,
    "short": short,
    "code": code,
    "explain": explain,
}


def key(drawn: Drawn, oracle: Oracle) -> Key:
    """The right answer and the known slips that can be told from it.

    A slip that would be accepted as right with these numbers is left out. Raises CourseErrors when the reference or
    the catalogue cannot give a value. torch is imported only for answers that are computed.
    """
    return oracle.recorded(drawn) or _KINDS[drawn.question.kind].key(drawn, oracle)


def mark(drawn: Drawn, key: Key, given: str) -> Mark | AskBack:
    """What the typed text is worth, or what to ask back when it cannot be read (no attempt is used then)."""
    return _KINDS[drawn.question.kind].mark(drawn, key, given)


def how_to_answer(drawn: Drawn) -> str:
    """One line that says what to type."""
    return _KINDS[drawn.question.kind].how_to_answer(drawn)


def lesson_section(question: Question, course: Course) -> str | None:
    """The anchor in the lesson's page of the exercise that the question is about; None: link to the page itself."""
    nearest = nearest_exercise(question, course)
    return nearest.section if any(_nearness(question, nearest)) else None


def nearest_exercise(question: Question, course: Course) -> Exercise:
    """The exercise of the lesson that the question is about.

    It is the one that shares most of the question's concepts; among equals the one whose function the answer calls,
    then one that the texts name, then the earliest.
    """
    # max() keeps the first of equals, which is the earliest.
    return max(course.lesson(question.lesson).exercises, key=lambda exercise: _nearness(question, exercise))


def _nearness(question: Question, exercise: Exercise) -> tuple[int, bool, bool]:
    called = question.answer.exercise if isinstance(question.answer, Call) else ""
    words = set(re.findall(r"\w+", f"{question.prompt} {question.explanation}"))
    return len(set(question.concepts) & set(exercise.concepts)), exercise.id == called, exercise.name in words


def called_exercise(question: Question, course: Course) -> Exercise | None:
    """The exercise whose function a numeric question asks about, None for any other question."""
    answer = question.answer
    if question.kind != "numeric" or not isinstance(answer, Call) or not course.has(answer.exercise):
        return None
    return course.exercise(answer.exercise)
