"""What the reference says to the public tests and to the quizzes, written down for installations without it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from grader.authority import reference_function
from grader.course import yaml12
from grader.course.mistakes import CourseErrors, Mistake
from grader.course.model import Course, Exercise, Lesson
from grader.errors import GraderFault
from grader.judge.answer import Answer
from grader.judge.check import Examination
from grader.judge.probe import Probe, run_here
from grader.judge.recorded import write_answers
from grader.review.questions.load import load_quiz, quiz_path
from grader.review.questions.recorded import write_keys
from grader.sandbox.reply import Outcome
from grader.session import Suites, with_suites

INSTANCES = 20
"""Draws of each quiz item that a bundle has the key of."""
Asked = dict[str, list[tuple[Probe, Answer]]]


def record_answers(course: Course, suites: Path, seed: int, write: Callable[[str, bytes], object]) -> int:
    """Put the tests of these suites to the reference and hand `write` each lesson's slug and answers.

    One session of the suites; a process can hold but one. Returns the number of tests. Raises GraderFault when the
    reference fails a test, or an exercise has none.
    """
    tests = 0

    def body(open_suites: Suites) -> int:
        nonlocal tests
        for lesson in course.lessons:
            answers = {e.name: _answers(e, open_suites, seed) for e in lesson.exercises}
            tests += sum(map(len, answers.values()))
            write(lesson.slug, write_answers(answers))
        return 0

    with_suites([lesson.slug for lesson in course.lessons], body, suites)
    return tests


def record_keys(lesson: Lesson) -> str:
    """The keys of INSTANCES draws of every question of a lesson, as the text of a file."""
    return write_keys(load_quiz(lesson), INSTANCES)


def quiz_without_mistakes(lesson: Lesson) -> str:
    """A lesson's quiz without the slips that only the catalogue can evaluate: what they are told stands in the recorded
    keys."""
    mistakes: list[Mistake] = []
    node = yaml12.read_nodes(quiz_path(lesson), mistakes)
    if node is None or mistakes:
        raise CourseErrors(mistakes)
    document = yaml12.plain(node)
    for question in document["questions"]:
        kept = [slip for slip in question.pop("also", ()) if not _needs_the_catalogue(slip["value"])]
        question |= {"also": kept} if kept else {}
    questions = "\n".join(f"  - {_in_yaml(question)}" for question in document["questions"])
    return f"questions:\n{questions}\n"


def _in_yaml(value: Any) -> str:
    """A plain value on one line of YAML: as JSON, but for the numbers that JSON has not."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {_in_yaml(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_in_yaml, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    return json.dumps(value, ensure_ascii=False)


def _needs_the_catalogue(value: Any) -> bool:
    return isinstance(value, dict) and "wrong" in value


def _answers(exercise: Exercise, suites: Suites, seed: int) -> Asked:
    """The answers to the tests of one exercise, by test."""
    reference = reference_function(exercise)
    asked: Asked = {}
    examination = Examination(reference, partial(_ask, reference), asked)
    tests = suites.tests(exercise.id)
    if not tests or tests[0].kind != "value":
        raise GraderFault(f"{exercise.id} has no public test of values to begin with; mark one in its suite")
    for test in tests:
        record = suites.run(test, examination, seed)
        if record.status != "passed":
            raise GraderFault(f"the reference fails its own public test {exercise.id}, {test.name}: {record.sentence}")
    return {test.item.name: asked.get(test.item.name, []) for test in tests}


def _ask(reference: Callable[..., Any], probe: Probe, expected: Answer | None) -> Outcome:
    return run_here(reference, probe, expected.cotangent if expected else None)
