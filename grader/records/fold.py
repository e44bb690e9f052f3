"""Progress: what the events of a learner add up to. It is computed afresh each time and never stored.

The result depends on the set of events only, not on their order, and a repeated event changes nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
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
_TOO_MANY = 10**6  # points that no exercise has, and that arithmetic might not survive


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
    live = live_events(events)
    tallies: dict[str, _Tally] = defaultdict(_Tally)
    for event in live:
        if event.type == GRADING:
            for id_, standing, named in verdicts(event.payload):
                tallies[id_].add_grading(standing, named)
        elif event.type == HINT:
            exercise, number = event.payload.get("exercise"), event.payload.get("number")
            if isinstance(exercise, str) and type(number) is int and number > 0:
                tallies[exercise].hints = max(tallies[exercise].hints, number)
    return Progress(
        {id_: tally.progress() for id_, tally in tallies.items()},
        {lesson: event.study_day for lesson, event in completions(live, course).items()},
    )


def completions(live: Iterable[Event], course: Course) -> dict[str, Event]:
    """By which event each completed lesson was first complete: of the earliest study day, then of the earliest moment.

    `live` are the live events, in order.
    """
    lessons = {lesson.slug: {exercise.id for exercise in lesson.exercises} for lesson in course.lessons}
    done: set[str] = set()
    completed: dict[str, Event] = {}
    for event in live:
        if event.type == GRADING:
            graded = {id_: standing.done for id_, standing, _ in verdicts(event.payload)}
            done.difference_update(graded)
            done.update(id_ for id_, is_done in graded.items() if is_done)
            complete = [slug for slug, ids in lessons.items() if not ids.isdisjoint(graded) and ids <= done]
        elif event.type == COMPLETE:
            complete = [slug for slug in lessons if slug == event.payload.get("lesson")]
        else:
            continue
        for lesson in complete:
            # In order of moments, a later one may lie on an earlier study day: the learner has travelled west.
            if event.study_day < completed.setdefault(lesson, event).study_day:
                completed[lesson] = event
    return completed


def verdicts(payload: Mapping[str, Any]) -> Iterator[tuple[str, Standing, Any]]:
    """The exercises of a grading of which it says something, and the misconception named with each."""
    results = payload.get("exercises")
    for id_, result in results.items() if isinstance(results, dict) else ():
        standing = _standing(result)
        if standing is not None and standing.status not in _NO_VERDICT:
            yield id_, standing, result.get("misconception")


@dataclass(slots=True)
class _Tally:
    """The progress of one exercise while it is added up."""

    latest: Standing = Standing()
    best: Standing = Standing()
    attempts: int = 0
    misconceptions: dict[str, None] = field(default_factory=dict)
    hints: int = 0

    def add_grading(self, standing: Standing, misconception: Any) -> None:
        self.latest = standing
        if _rank(standing) > _rank(self.best):
            self.best = standing
        self.attempts += standing.status != NOT_STARTED
        if isinstance(misconception, str):
            self.misconceptions[misconception] = None

    def progress(self) -> ExerciseProgress:
        return ExerciseProgress(self.latest, self.best, self.attempts, tuple(self.misconceptions), self.hints)


def _standing(result: Any) -> Standing | None:
    """The result of an exercise, or None for a record of another shape, as a later version may write."""
    if not isinstance(result, dict) or not isinstance(result.get("status"), str):
        return None
    points = (result.get("earned", 0), result.get("possible", 0))
    fitting = all(type(number) is int and 0 <= number < _TOO_MANY for number in points)
    return Standing(result["status"], *points) if fitting else None


def _rank(standing: Standing) -> tuple[bool, bool, float]:
    # Points of an exercise may be changed by its author: shares of them can be compared, numbers cannot.
    share = standing.earned / standing.possible if standing.possible > 0 else 0.0
    return (standing.done, standing.status != NOT_STARTED, share)
