"""The questions of one lesson in its page. What is shown follows from the log alone, whoever wrote it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from markupsafe import Markup

from grader.course.model import Course, Lesson
from grader.errors import UserError
from grader.records.log import LogUnwritable
from grader.review.bank import LessonBank
from grader.review.companion import Companion, Remark
from grader.review.holding import Held, last_session
from grader.review.ladder import Place, place
from grader.review.learner import Known, LearnerRecords
from grader.review.questions.model import AskBack
from grader.review.questions.oracle import Oracle
from grader.review.selection import SIZE
from grader.review.session import ItemGone, Reply, Turn
from grader.review.sessions import moment
from grader.review.summary import Summary
from grader.site.quiz.asking import question
from grader.site.quiz.forms import Explained, Form, one, read
from grader.site.quiz.telling import done, invitation, problem, told

T = TypeVar("T")
CLOSED = "This review has been taken already, or cannot be taken today."
ANSWERED = (
    "That question has been answered already, in another tab or in the terminal: this answer was not recorded. Here is "
    "where the session stands."
)
OVER = "The session of that question is over: this answer was not recorded."
GONE = "A question of this session is no more, because the course was changed. Begin anew."
EMPTY = "This lesson has no questions that can be asked."


@dataclass(frozen=True)
class Answered:
    """An answer that has been recorded. summary: what the session came to, once nothing is left of it."""

    held: Held
    turn: Turn
    reply: Reply
    summary: Summary | None

    def told(self, remarks: Sequence[Remark], root: str) -> Markup:
        return told(self.held, self.turn, self.reply, remarks, self.summary, root)


class LessonTable:
    """The sessions of one lesson. Whatever asks for the same lesson at once is served one after the other."""

    def __init__(
        self, course: Course, lesson: Lesson, records: LearnerRecords, oracle: Oracle, companion: Companion | None,
        root: str,
    ) -> None:  # fmt: skip
        self._course, self._slug, self._records = course, lesson.slug, records
        self._companion, self._root = companion, root
        self._bank = LessonBank(course, lesson, oracle)
        self._lock = Lock()

    def close(self) -> None:
        """Make no more questions."""
        self._bank.close()

    def show(self, practice: bool) -> Markup:
        """What stands there now. Nothing is recorded."""
        return self._guarded(lambda: self._now(practice))

    def begin(self, practice: bool) -> Markup:
        """Begin, or go on."""
        return self._guarded(lambda: self._begun(practice))

    def answer(self, practice: bool, form: Form) -> Markup | Answered:
        """Record an answer, or say why not."""
        return self._guarded(lambda: self._answered(practice, form))

    def _guarded(self, act: Callable[[], T]) -> T | Markup:
        """What an act gives, one at a time; what went wrong in it as a sentence."""
        with self._lock:
            try:
                return act()
            except UserError as error:
                return problem(self._slug, str(error))

    def _now(self, practice: bool, notice: str = "") -> Markup:
        """What stands there. notice: what happened before."""
        known = self._records.known(self._course)
        practice, held = self._standing(known, practice)
        if held is not None:
            try:
                turn = held.sitting.turn()
            except ItemGone:
                return self._invite(known, practice, notice or GONE)
            if turn is None:
                return done(held, self._root, notice)
            return question(held, turn, self._companion, root=self._root, notice=notice)
        return self._invite(known, practice, notice)

    def _begun(self, practice: bool) -> Markup:
        known = self._records.known(self._course)
        wanted = practice or known.today.practice_only
        _, held = self._standing(known, wanted)
        if held is None or held.practice != wanted or _is_done(held):
            if not wanted and not self._open(known):
                return self._now(practice, CLOSED)
            if not self._size(known, wanted):
                return problem(self._slug, EMPTY)
            held = Held.begin(self._course, self._slug, self._bank, wanted, self._records)
        while True:
            try:
                turn = held.sitting.turn()
            except ItemGone as gone:
                held.renew(gone)
            else:
                break
        return question(held, turn, self._companion, root=self._root) if turn else problem(self._slug, EMPTY)

    def _answered(self, practice: bool, form: Form) -> Markup | Answered:
        held = Held.latest(self._course, self._slug, self._bank, practice, self._records)
        if held is None or held.sitting.session != one(form, "session"):
            return self._now(practice, OVER)
        try:
            turn = held.sitting.turn()
        except ItemGone:
            return self._now(practice)
        if turn is None or (turn.asked.item, str(turn.attempt)) != (one(form, "item"), one(form, "attempt")):
            return self._now(practice, ANSWERED)
        given = read(turn, form)
        if isinstance(given, Explained):
            return self._again(held, turn, form, ideas=held.sitting.ideas(turn))
        if isinstance(given, AskBack):
            return self._again(held, turn, form, given.says)
        outcome = held.sitting.submit(turn, given.text)
        if isinstance(outcome, AskBack):
            return self._again(held, turn, form, outcome.says)
        if given.said:
            outcome = Reply(outcome.mark, outcome.key, {**outcome.record, "said": given.said})
        try:
            held.accept(turn, outcome)
        except LogUnwritable as error:
            return self._again(held, turn, form, str(error))
        return Answered(held, turn, outcome, held.summary if _is_done(held) else None)

    def _again(self, held: Held, turn: Turn, form: Form, says: str = "", ideas: Sequence[str] = ()) -> Markup:
        """The same question with what was sent, and what is wrong with it."""
        ticking = "ticked" in form and turn.drawn.question.kind == "explain"
        return question(
            held, turn, self._companion, root=self._root, form=form, asked_back=says,
            ideas=held.sitting.ideas(turn) if ticking else ideas,
        )  # fmt: skip

    def _standing(self, known: Known, practice: bool) -> tuple[bool, Held | None]:
        """Whether practice is what stands there, and the session of today, if there is one.

        A review comes before practice: one that is under way, one that can be taken. Else what was begun last.
        """
        if practice or known.today.practice_only:
            return True, self._latest(practice=True)
        review = self._latest(practice=False)
        if review is None:
            return (False, None) if self._open(known) else (True, self._latest(practice=True))
        if _is_done(review) and _begun_later(known, self._slug):
            return True, self._latest(practice=True)
        return False, review

    def _latest(self, practice: bool) -> Held | None:
        return Held.latest(self._course, self._slug, self._bank, practice, self._records)

    def _place(self, known: Known) -> Place | None:
        history = known.reviews.lessons[self._slug]
        return place(history, known.today.day) if history.anchor else None

    def _open(self, known: Known) -> bool:
        """Whether a review would take a rung now."""
        where = self._place(known)
        return where is not None and where.open and not known.today.practice_only

    def _size(self, known: Known, practice: bool) -> int:
        """How many questions a session has."""
        where = self._place(known)
        stock = self._bank.stock(known.reviews, known.progress)
        rung = where.rung if where and not practice else None
        fitting = [item for item in (*stock.quiz, *stock.mistakes, *stock.faults) if item.fits(rung)]
        return min(SIZE, len(fitting))

    def _invite(self, known: Known, practice: bool, notice: str) -> Markup:
        begun = last_session(known, self._slug, practice)
        if begun is not None and begun.waiting:  # and is not what stands there
            notice = notice or GONE
        if not (size := self._size(known, practice)):
            return problem(self._slug, EMPTY)
        return invitation(
            self._slug, size, self._place(known), known.today, practice=practice, root=self._root, notice=notice
        )


def _begun_later(known: Known, slug: str) -> bool:
    """Whether the last practice session of today was begun after the last review."""
    begun = {practice: last_session(known, slug, practice) for practice in (True, False)}
    practised, reviewed = begun[True], begun[False]
    return practised is not None and reviewed is not None and moment(practised.event) > moment(reviewed.event)


def _is_done(held: Held) -> bool:
    try:
        return held.sitting.turn() is None
    except ItemGone:
        return False
