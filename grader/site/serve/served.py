"""The pages as the server shows them: with the learner's records, verdicts and quiz as they stand now."""

from __future__ import annotations

from markupsafe import Markup

from grader.course.model import Course, UnknownName
from grader.records import clock
from grader.review.learner import LearnerRecords
from grader.site.home import home_page
from grader.site.home_state import home_state
from grader.site.serve.app import HOME, QuizRoom
from grader.site.serve.results import Results

DECODER = "decoder"


class Served:
    """Makes each page when it is asked for."""

    def __init__(self, course: Course, records: LearnerRecords, results: Results, quiz: QuizRoom) -> None:
        self._course = course
        self._records = records
        self._results = results
        self._quiz = quiz

    def page(self, name: str) -> str | None:
        """The page of that name, None if there is none."""
        if name == HOME:
            events = self._records.known(self._course).events
            return home_page(self._course, home_state(self._course, events, clock.now()))
        if name == DECODER:
            from grader.site.diagram.page import decoder_page

            return decoder_page(self._course, live=True, grades=self._results.standings())
        try:
            lesson = self._course.lesson(name)
        except UnknownName:
            return None
        from grader.site.lesson import LivePart, lesson_page  # its panels import torch

        part = LivePart(self._results.articles(name), self._quiz.show(name, practice=False))
        return lesson_page(self._course, lesson, Markup(""), part)
