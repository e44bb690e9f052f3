"""The verdicts on a lesson's exercises as a piece of its page, from this run or, before there is one, from the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from markupsafe import Markup

from grader.course.model import Course, Lesson
from grader.errors import UserError
from grader.records.event import Event
from grader.records.fold import NOT_STARTED, verdicts
from grader.records.kinds import GRADING
from grader.records.voids import live_events
from grader.render.text import WORDS, verdict
from grader.site.sections import section_title
from grader.site.serve.live import Graded, Live
from grader.site.serve.rendering import fragment


@dataclass(frozen=True, slots=True)
class Last:
    """The latest verdict that the log has on an exercise, and the study day on which it was given."""

    status: str
    day: date


class Results:
    """Makes the pieces. events: reads the learner's log; it is asked only where this run has no verdict yet."""

    def __init__(self, course: Course, live: Live, events: Callable[[], Iterable[Event]]) -> None:
        self._course = course
        self._live = live
        self._events = events

    def piece(self, slug: str) -> Markup:
        """The verdicts of a lesson, one after the other. Raises UnknownName."""
        lesson = self._course.lesson(slug)
        graded = self._live.lesson(slug)
        articles, trouble = self._articles(lesson, graded)
        return fragment(
            "results.html",
            slug=slug,
            graded=graded,
            under_way=self._live.is_under_way(slug),
            trouble=trouble,
            articles=articles.values(),
        )

    def articles(self, slug: str) -> dict[str, Markup]:
        """The verdict on each exercise of a lesson by its name, for a page that places them. Raises UnknownName."""
        return self._articles(self._course.lesson(slug), self._live.lesson(slug))[0]

    def standings(self) -> dict[str, str]:
        """The verdict on every exercise that has one, in a few words, by its id."""
        found: dict[str, str] = {}
        last, _ = self._last([lesson for lesson in self._course.lessons if self._live.lesson(lesson.slug) is None])
        for exercise in self._course.exercises:
            if graded := self._live.lesson(exercise.lesson):
                for result in graded.report.exercises:
                    if result.id == exercise.id:
                        found[exercise.id] = f"{verdict(result)}, {result.earned} of {result.possible} points"
            elif known := last.get(exercise.id):
                found[exercise.id] = f"{WORDS.get(known.status, known.status)} on {known.day.isoformat()}"
        return found

    def _articles(self, lesson: Lesson, graded: Graded | None) -> tuple[dict[str, Markup], str]:
        found = {result.name: result for result in graded.report.exercises} if graded else {}
        last, trouble = self._last([lesson] if len(found) < len(lesson.exercises) else [])
        problems = graded.report.problems if graded else ()
        return {
            exercise.name: fragment(
                "result.html",
                name=exercise.name,
                result=found.get(exercise.name),
                last=last.get(exercise.id),
                problems=problems,
                titled=self._titled,
            )
            for exercise in lesson.exercises
        }, trouble

    def _titled(self, section: str) -> Markup:
        """The heading of `lessons/<slug>/lesson.md#<anchor>`."""
        page, _, anchor = section.partition("#")
        return section_title(self._course.lesson(page.split("/")[1]), anchor)

    def _last(self, lacking: Sequence[Lesson]) -> tuple[Mapping[str, Last], str]:
        """What the log says, if it must be asked, and why it cannot be."""
        if not lacking:
            return {}, ""
        try:
            return last_verdicts(self._events()), ""
        except UserError as unreadable:
            return {}, str(unreadable)


def last_verdicts(events: Iterable[Event]) -> dict[str, Last]:
    """The latest verdict on each exercise that has one, by its id."""
    found: dict[str, Last] = {}
    for event in live_events(events):
        if event.type == GRADING:
            for exercise, standing, _ in verdicts(event.payload):
                if standing.status != NOT_STARTED:
                    found[exercise] = Last(standing.status, event.study_day)
                else:
                    found.pop(exercise, None)
    return found
