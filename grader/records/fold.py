"""Progress: what the events of a learner add up to. It is computed afresh each time and never stored.

The result depends on the set of events only, not on their order, and a repeated event changes nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from grader.course.model import Course, Exercise
from grader.records.event import Event
from grader.records.kinds import COMPLETE, GRADING, HINT
from grader.records.memory import collector_put_off
from grader.records.voids import live_events

NOT_STARTED = "not_started"
_DONE = frozenset({"passed", "inherited"})
_NO_VERDICT = frozenset({"grader_fault"})  # our fault, not the learner's: it tells nothing about the function


@dataclass(frozen=True, slots=True)
class Standing:
    """The outcome of one grading of one exercise: its status and whole points."""

    status: str = NOT_STARTED
    earned: int = 0
    possible: int = 0

    @property
    def done(self) -> bool:
        """Whether it counts as passed; an inherited fault is not this function's."""
        return self.status in _DONE


@dataclass(frozen=True, slots=True)
class ExerciseProgress:
    """One exercise: the latest and the best standing, and how it came there.

    `attempts` counts the gradings in which there was something to grade; `misconceptions` are in the order in which
    they were first named; `hints` is the number of the furthest hint taken.
    """

    latest: Standing = Standing()
    best: Standing = Standing()
    attempts: int = 0
    misconceptions: tuple[str, ...] = ()
    hints: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """Everything that is known of a learner. `completed` has the study day on which each lesson was first complete."""

    exercises: Mapping[str, ExerciseProgress]
    completed: Mapping[str, date]

    def exercise(self, exercise: Exercise | str) -> ExerciseProgress:
        """The progress of an exercise or an id, also of one that was never graded."""
        return self.exercises.get(exercise if isinstance(exercise, str) else exercise.id, ExerciseProgress())

    def next_exercise(self, course: Course) -> Exercise | None:
        """The first exercise of the course whose latest standing is not done; None when all are."""
        return next((exercise for exercise in course.exercises if not self.exercise(exercise).latest.done), None)


@collector_put_off()
def fold(events: Iterable[Event], course: Course) -> Progress:
    """The progress that the events of a log make, in any order; those that were undone make none."""
    exercises, completions = _replay(live_events(events), course)
    return Progress(exercises, {lesson: event.study_day for lesson, event in completions.items()})


def completions(live: Iterable[Event], course: Course) -> dict[str, Event]:
    """By which event each completed lesson was first complete: of the earliest study day, then of the earliest moment.

    `live` are the live events, in order.
    """
    return _replay(live, course)[1]


def _replay(live: Iterable[Event], course: Course) -> tuple[dict[str, ExerciseProgress], dict[str, Event]]:
    exercises: dict[str, ExerciseProgress] = {}
    completed: dict[str, Event] = {}
    lessons = {lesson.slug: [exercise.id for exercise in lesson.exercises] for lesson in course.lessons}
    lesson_of = {id_: slug for slug, ids in lessons.items() for id_ in ids}
    not_started = ExerciseProgress()
    for event in live:
        if event.type == GRADING:
            graded = _apply_grading(event.payload, exercises)
            for slug in {lesson_of[id_] for id_ in graded if id_ in lesson_of}:
                if all(exercises.get(id_, not_started).latest.done for id_ in lessons[slug]):
                    _complete(slug, event, completed)
        elif event.type == HINT:
            _apply_hint(event.payload, exercises)
        elif event.type == COMPLETE:
            lesson = event.payload.get("lesson")
            if isinstance(lesson, str) and lesson in lessons:
                _complete(lesson, event, completed)
    return exercises, completed


def _complete(lesson: str, event: Event, completed: dict[str, Event]) -> None:
    known = completed.setdefault(lesson, event)
    # In order of moments, a later one may lie on an earlier study day: the learner has travelled west.
    if event.study_day < known.study_day:
        completed[lesson] = event


def _apply_grading(payload: Mapping[str, Any], exercises: dict[str, ExerciseProgress]) -> set[str]:
    graded = set()
    results = payload.get("exercises")
    for id_, result in results.items() if isinstance(results, dict) else ():
        standing = _standing(result)
        if standing is None or standing.status in _NO_VERDICT:
            continue
        before = exercises.get(id_, ExerciseProgress())
        named = result.get("misconception")
        is_new = isinstance(named, str) and named not in before.misconceptions
        exercises[id_] = replace(
            before,
            latest=standing,
            best=max(before.best, standing, key=_rank),
            attempts=before.attempts + (standing.status != NOT_STARTED),
            misconceptions=(*before.misconceptions, named) if is_new else before.misconceptions,
        )
        graded.add(id_)
    return graded


def _standing(result: Any) -> Standing | None:
    """The result of an exercise, or None for a record of another shape, as a later version may write."""
    if not isinstance(result, dict) or not isinstance(result.get("status"), str):
        return None
    points = (result.get("earned", 0), result.get("possible", 0))
    return Standing(result["status"], *points) if all(type(number) is int for number in points) else None


def _rank(standing: Standing) -> tuple[bool, bool, float]:
    # Points of an exercise may be changed by its author: shares of them can be compared, numbers cannot.
    share = standing.earned / standing.possible if standing.possible > 0 else 0.0
    return (standing.done, standing.status != NOT_STARTED, share)


def _apply_hint(payload: Mapping[str, Any], exercises: dict[str, ExerciseProgress]) -> None:
    id_, number = payload.get("exercise"), payload.get("number")
    if isinstance(id_, str) and type(number) is int and number > 0:
        before = exercises.get(id_, ExerciseProgress())
        exercises[id_] = replace(before, hints=max(before.hints, number))
