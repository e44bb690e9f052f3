"""Keys that were worked out beforehand: for every question of a lesson, one for each of the draws that there are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.course.mistakes import CourseErrors, Mistake
from grader.edition import bundle
from grader.review.questions.draw import draw, seed_that_counts
from grader.review.questions.marking import key
from grader.review.questions.model import Drawn, Key, Literals, Question
from grader.review.questions.oracle import Oracle

VERSION = 1


class RecordedKeys(Oracle):
    """Looks keys up, a file a lesson, and evaluates nothing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lessons: dict[str, Mapping[str, Any]] = {}

    def recorded(self, drawn: Drawn) -> Key:
        """The key of this draw. Raises CourseErrors where there is none."""
        question = drawn.question
        path = self._folder / f"{question.lesson}.json"
        if question.lesson not in self._lessons:
            self._lessons[question.lesson] = _read(path)
        record = self._lessons[question.lesson].get(question.id)
        if record is None or record["version"] != question.version:
            raise CourseErrors([Mistake(path, 0, f"the answers to {question.id} are missing; install this again")])
        return _key(record["keys"][int(seed_that_counts(question, drawn.seed))])


def oracle_here() -> Oracle:
    """Who answers the questions in this installation: the reference, or the record of a student's bundle."""
    here = bundle()
    return Oracle() if here is None else RecordedKeys(here.keys)


def write_keys(questions: Sequence[Question], instances: int) -> str:
    """The keys of so many draws of each question, as the text of a file. Raises CourseErrors."""
    oracle = Oracle()
    records = {
        question.id: {
            "version": question.version,
            "keys": [_record(key(draw(replace(question, pool=None), str(n)), oracle)) for n in range(instances)],
        }
        for question in questions
    }
    return json.dumps({"version": VERSION, "questions": records}, ensure_ascii=False, separators=(",", ":")) + "\n"


def _record(found: Key) -> list[Any]:
    return [found.value, [list(slip) for slip in found.slips], found.shown]


def _key(record: Sequence[Any]) -> Key:
    value, slips, shown = record
    return Key(_literal(value), tuple((_literal(slip), feedback) for slip, feedback in slips), shown)


def _literal(value: Any) -> Literals:
    literal: Literals = tuple(value) if isinstance(value, list) else value
    return literal


def _read(path: Path) -> Mapping[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["version"] == VERSION:
            questions: Mapping[str, Any] = document["questions"]
            return questions
        why = f"they are of version {document['version']}"
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = str(error)
    raise CourseErrors([Mistake(path, 0, f"the answers to the quiz cannot be read ({why}); install this again")])
