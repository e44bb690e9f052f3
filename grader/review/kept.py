"""Where a learner stands, as JSON: what the short commands need of the log, so that they need not read all of it.

It holds what the events add up to and nothing that depends on the day.
"""

from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from grader.course.kept import course_stamps
from grader.course.model import Course
from grader.keeping import Stamps, files_in, keep, place_for, recall, stamps_of
from grader.records.fold import ExerciseProgress, Progress
from grader.records.fold import Standing as Verdict
from grader.records.log import Log
from grader.review.history import LessonHistory, Review, Reviews

_ENGINE = Path(__file__).parents[1]
_ROOMS = ("records", "review")


@dataclass(frozen=True)
class Standing:
    """The progress, and the ladders of all lessons.

    The histories of `ladders` say what a ladder needs: anchor, cycle, pauses and the reviews of this cycle that
    counted, without their items. Everything else of them is empty.
    """

    progress: Progress
    ladders: Reviews


def standing_of(progress: Progress, reviews: Reviews) -> Standing:
    """What is kept of the two."""
    lessons = {
        lesson: LessonHistory(
            lesson=lesson,
            anchor=history.anchor,
            cycle=history.cycle,
            reviews=tuple(_without_items(review) for review in history.reviews if review.rung is not None),
            paused=history.paused,
        )
        for lesson, history in reviews.lessons.items()
    }
    return Standing(progress, Reviews(lessons, reviews.last_day, reviews.learner, reviews.rollover_hour))


def standing_stamps(log: Log, course: Course) -> Stamps:
    """What the files of the log, the course and the modules that fold them look like from outside."""
    modules = [path for room in _ROOMS for path in files_in(_ENGINE / room, ".py")]
    return {**course_stamps(course.folder), **stamps_of([*log.files(), *modules])}


def recall_standing(log: Log, stamps: Stamps, cache: Path) -> Standing | None:
    """The standing that was kept when everything looked just like this; None if there is none."""
    record = recall(_place(log, cache), stamps)
    if record is None:
        return None
    progress = Progress(
        {id_: _exercise(each) for id_, each in record["exercises"].items()},
        {lesson: date.fromisoformat(day) for lesson, day in record["completed"].items()},
    )
    lessons = {lesson: _history(lesson, each) for lesson, each in record["lessons"].items()}
    last_day = _day(record["last_day"])
    return Standing(progress, Reviews(lessons, last_day, record["learner"], record["rollover_hour"]))


def keep_standing(standing: Standing, log: Log, stamps: Stamps, cache: Path) -> None:
    """Keep a standing that was folded from files with these stamps."""
    ladders = standing.ladders
    record = {
        "exercises": {id_: asdict(each) for id_, each in standing.progress.exercises.items()},
        "completed": {lesson: day.isoformat() for lesson, day in standing.progress.completed.items()},
        "lessons": {lesson: _history_record(history) for lesson, history in ladders.lessons.items()},
        "last_day": _text(ladders.last_day),
        "learner": ladders.learner,
        "rollover_hour": ladders.rollover_hour,
    }
    keep(_place(log, cache), stamps, record)


def _place(log: Log, cache: Path) -> Path:
    return place_for(cache, "standing", log.home, _ENGINE)


def _without_items(review: Review) -> Review:
    return Review(review.session, review.lesson, review.day, review.score, (), review.rung, review.practice)


def _history_record(history: LessonHistory) -> dict[str, Any]:
    return {
        "anchor": _text(history.anchor),
        "cycle": history.cycle,
        "paused": history.paused,
        "reviews": [[each.session, each.day.isoformat(), each.score, each.rung] for each in history.reviews],
    }


def _history(lesson: str, record: dict[str, Any]) -> LessonHistory:
    return LessonHistory(
        lesson=lesson,
        anchor=_day(record["anchor"]),
        cycle=record["cycle"],
        reviews=tuple(
            Review(session, lesson, date.fromisoformat(day), score, (), rung, practice=False)
            for session, day, score, rung in record["reviews"]
        ),
        paused=record["paused"],
    )


def _exercise(record: dict[str, Any]) -> ExerciseProgress:
    return ExerciseProgress(
        latest=Verdict(**record["latest"]),
        best=Verdict(**record["best"]),
        attempts=record["attempts"],
        misconceptions=tuple(record["misconceptions"]),
        hints=record["hints"],
    )


def _text(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
