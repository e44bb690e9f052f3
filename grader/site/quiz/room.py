"""The questions of all lessons in their pages: shown, begun and answered by plain forms, on the log that all share."""

from __future__ import annotations

from threading import Lock

from markupsafe import Markup

from grader.course.model import Course
from grader.review.companion import Companion
from grader.review.learner import LearnerRecords
from grader.review.questions.recorded import oracle_here
from grader.site.quiz.forms import Form
from grader.site.quiz.table import LessonTable


class QuizRoom:
    """All sessions of a server, for requests from several threads. It holds nothing that the log does not.

    root: what stands before the addresses of its forms: "/" where an answer is a page at another address than the
    lesson's own. Its caller closes the companion.
    """

    def __init__(
        self, course: Course, records: LearnerRecords, companion: Companion | None = None, *, root: str = ""
    ) -> None:
        self._course, self._records, self._companion, self._root = course, records, companion, root
        self._oracle = oracle_here()
        self._tables: dict[str, LessonTable] = {}
        self._lock = Lock()

    def show(self, slug: str, practice: bool = False) -> Markup:
        """The section as it stands: the question that is asked now, what the session came to, or an invitation.

        practice: practice alone, even where a review could be taken. Nothing is recorded. Raises UnknownName.
        """
        return self._table(slug).show(practice)

    def begin(self, slug: str, practice: bool = False) -> Markup:
        """Begin a session, or go on with that of today. Raises UnknownName."""
        return self._table(slug).begin(practice)

    def answer(self, slug: str, practice: bool, form: Form) -> Markup:
        """Record an answer and tell the verdict, or ask back beside the same question. Raises UnknownName.

        form: the fields of the question's form. An answer to a question that is not asked now is not recorded.
        """
        outcome = self._table(slug).answer(practice, form)
        if isinstance(outcome, Markup):
            return outcome
        # Outside the table: the learner's own function may take its time, and others look at the lesson meanwhile.
        remarks = self._companion.remarks(outcome.turn, outcome.reply) if self._companion else ()
        return outcome.told(remarks, self._root)

    def close(self) -> None:
        """Make no more questions."""
        with self._lock:
            for table in self._tables.values():
                table.close()

    def _table(self, slug: str) -> LessonTable:
        with self._lock:
            if slug not in self._tables:
                lesson = self._course.lesson(slug)
                self._tables[lesson.slug] = LessonTable(
                    self._course, lesson, self._records, self._oracle, self._companion, self._root
                )
            return self._tables[slug]
