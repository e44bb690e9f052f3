"""Where a learner stands, as the home page shows it: computed from the events of the log and the time alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from grader.course.model import Course, Exercise, Lesson
from grader.records.event import Event
from grader.records.fold import Progress, fold
from grader.records.next_step import NextStep, next_step
from grader.review.forecast import Coming, Day, forecast
from grader.review.history import Reviews, fold_reviews
from grader.review.ladder import place
from grader.review.listing import spoken, standing
from grader.review.reading_again import concepts_asked, exercise_of_concept, exercise_of_item
from grader.review.stats import Flagged, flagged, weakest_concepts
from grader.review.summary import spelled
from grader.review.today import Today, today
from grader.site.months import Month, months_ahead
from grader.site.study_days import StudyWeeks, study_weeks

DAYS = 62
"""How far the calendar looks: no rung lies further ahead than 30 days."""


@dataclass(frozen=True, slots=True)
class LessonStanding:
    """One lesson: how many of its exercises have passed, their points, and where it stands on its ladder, in words."""

    lesson: Lesson
    passed: int
    earned: int
    completed: date | None
    ladder: str

    @property
    def share(self) -> float:
        return self.passed / len(self.lesson.exercises) if self.lesson.exercises else 0.0


@dataclass(frozen=True, slots=True)
class Weak:
    """What to read again. what: in words, told: how it went; exercise: whose section teaches it, None if none does."""

    what: str
    told: str
    lesson: str
    exercise: Exercise | None


@dataclass(frozen=True)
class HomeState:
    """All that the home page says about a learner on one day.

    due, tomorrow: the reviews that today and tomorrow ask for; agenda: every day that asks for any.
    """

    today: Today
    lessons: tuple[LessonStanding, ...]
    step: NextStep
    due: tuple[Coming, ...]
    tomorrow: tuple[Coming, ...]
    agenda: tuple[Day, ...]
    months: tuple[Month, ...]
    study: StudyWeeks
    weak: tuple[Weak, ...]
    returning: tuple[Weak, ...]
    begun: bool

    @property
    def passed(self) -> int:
        return sum(each.passed for each in self.lessons)

    @property
    def earned(self) -> int:
        return sum(each.earned for each in self.lessons)

    @property
    def after_tomorrow(self) -> Day | None:
        """The first day after tomorrow that asks for a review."""
        return next((each for each in self.agenda if (each.day - self.today.day).days > 1), None)

    def said(self, day: date) -> str:
        """A day as people say it."""
        return spoken(day, self.today.day)


def home_state(course: Course, events: Iterable[Event], now: datetime) -> HomeState:
    """Where the learner of these events stands at that time, which has an offset."""
    known = tuple(events)
    progress, reviews = fold(known, course), fold_reviews(known, course)
    present = today(now, reviews)
    day, next_day = present.day, present.day + timedelta(days=1)
    ahead = forecast(reviews, day, DAYS)
    study = study_weeks(known, day)
    return HomeState(
        today=present,
        lessons=tuple(_lesson(lesson, progress, reviews, day) for lesson in course.lessons),
        step=next_step(course, progress, in_workspace=True),
        due=_on(ahead, day),
        tomorrow=_on(ahead, next_day),
        agenda=ahead,
        months=months_ahead(ahead, day),
        study=study,
        weak=_weak(course, reviews),
        returning=_returning(course, flagged(reviews)),
        begun=any(each.attempts for each in progress.exercises.values()),
    )


def _lesson(lesson: Lesson, progress: Progress, reviews: Reviews, day: date) -> LessonStanding:
    latest = [progress.exercise(exercise).latest for exercise in lesson.exercises]
    history = reviews.lessons[lesson.slug]
    return LessonStanding(
        lesson,
        passed=sum(each.done for each in latest),
        earned=sum(each.earned for each in latest),
        completed=progress.completed.get(lesson.slug),
        ladder="" if history.anchor is None else standing(place(history, day), day),
    )


def _on(ahead: Sequence[Day], day: date) -> tuple[Coming, ...]:
    return next((each.coming for each in ahead if each.day == day), ())


def _weak(course: Course, reviews: Reviews) -> tuple[Weak, ...]:
    found = []
    for each in weakest_concepts(reviews, concepts_asked(course, reviews)):
        exercise = exercise_of_concept(course, reviews, each.concept)
        told = f"{each.right} of {each.asked} right at the first try"
        found.append(Weak(each.concept.replace("-", " "), told, exercise.lesson if exercise else "", exercise))
    return tuple(found)


def _returning(course: Course, items: Iterable[Flagged]) -> tuple[Weak, ...]:
    return tuple(
        Weak(
            spelled(each.item, each.lesson),
            f"missed in {each.missed} reviews",
            each.lesson,
            exercise_of_item(course, each.lesson, each.item),
        )
        for each in items
    )
