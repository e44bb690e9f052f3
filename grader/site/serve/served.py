"""The pages as the server shows them: a lesson with its verdicts and its quiz as they stand now."""

from __future__ import annotations

from markupsafe import Markup

from grader.course.model import Course, UnknownName
from grader.site.serve.app import HOME, QuizRoom
from grader.site.serve.rendering import fragment, whole
from grader.site.serve.results import Results


class Served:
    """Makes each page when it is asked for."""

    def __init__(self, course: Course, results: Results, quiz: QuizRoom | None) -> None:
        self._course = course
        self._results = results
        self._quiz = quiz

    def page(self, name: str) -> str | None:
        """The page of that name, None if there is none."""
        if name == HOME:
            links = fragment("home.html", course=self._course)
            return whole("alone.html", title=self._course.title, back=[], fragment=links)[0]
        try:
            lesson = self._course.lesson(name)
        except UnknownName:
            return None
        from grader.site.lesson import LivePart, lesson_page  # its panels import torch

        quiz = self._quiz.show(name, practice=False) if self._quiz else Markup("")
        return lesson_page(self._course, lesson, Markup(""), LivePart(self._results.articles(name), quiz))
