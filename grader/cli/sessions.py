"""Holding sessions: begin one or go on with it, sit through it, and say what it came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from grader.cli.companion import Companion
from grader.cli.learner import learner_log
from grader.cli.recording import learner_name, record
from grader.cli.reviewing import learner_reviews
from grader.cli.screen import Left, Screen
from grader.cli.sitting import Heading, sit
from grader.course.model import Course
from grader.records import clock
from grader.records.fold import fold
from grader.records.kinds import ANSWER, SESSION
from grader.review.bank import LessonBank
from grader.review.history import LessonHistory, fold_reviews
from grader.review.ladder import EXTENSION, Place, passes, place
from grader.review.listing import rung_name
from grader.review.questions.recorded import oracle_here
from grader.review.selection import choose
from grader.review.session import ItemGone, Sitting, Tried
from grader.review.summary import Summary
from grader.review.today import today

INTERRUPTED = 130


def hold(course: Course, lessons: Sequence[str], *, practice: bool) -> int:
    """Hold a session on each of the lessons. Returns the exit code: 0 if all were passed (practice: ended)."""
    screen = Screen()
    oracle = oracle_here()
    code = 0
    with ExitStack() as stack:
        companion = Companion(course)
        stack.callback(companion.close)
        for number, slug in enumerate(lessons):
            bank = LessonBank(course, course.lesson(slug), oracle)
            stack.callback(bank.close)
            held = _Held(course, slug, bank, practice)
            try:
                if number:
                    screen.pause(f"Enter for {slug} (lesson {number + 1} of {len(lessons)} that are due) ")
                held.sit(screen, companion)
            except Left as left:
                screen.tell(held.broken_off())
                return INTERRUPTED if left.interrupted else 1
            screen.say()  # and not an empty screen: the last verdict has just been told
            screen.tell(held.told())
            code = code if held.passed else 1
    return code


class _Held:
    """One session of one lesson: begun now, or gone on with."""

    def __init__(self, course: Course, slug: str, bank: LessonBank, practice: bool) -> None:
        self._course, self._slug, self._bank, self._practice = course, slug, bank, practice
        events = learner_log().read().events
        self._reviews = fold_reviews(events, course)
        self._today = today(clock.now(), self._reviews)
        self._history = self._reviews.lessons[slug]
        self._place = place(self._history, self._today.day) if self._history.anchor else None
        self._stock = bank.stock(self._reviews, fold(events, course))
        answers = (event.payload for event in events if event.type == ANSWER)
        self._last_numbers = {str(answer.get("item")): answer.get("params") for answer in answers}
        self.sitting = self._begun() or self._begin()

    def _begun(self) -> Sitting | None:
        """The session that was begun today, if all that it asks is still there."""
        begun = self._history.open_practice if self._practice else self._history.open_session
        if begun is None or begun.day != self._today.day:
            return None
        if not all(self._stock.find(asked.item) for asked in begun.items):
            return None
        tries = [answer for answers in begun.tries.values() for answer in answers]
        tried = [Tried(answer.item, answer.attempt, answer.score, answer.missed) for answer in tries]
        self._bank.prepare(begun.items)
        return Sitting(begun.id, self._slug, begun.items, tried, self._bank)

    def _begin(self) -> Sitting:
        """A new session, on the record."""
        rung = self._place.rung if self._place and not self._practice else None
        occasion = _occasion(self._history, self._place, self._practice)
        chosen = choose(self._stock, self._history, learner_name(self._reviews), occasion, rung)
        asked = self._bank.with_new_numbers(chosen, self._last_numbers)
        items = [{"item": a.item, "version": a.version, "seed": a.seed, "why": a.why} for a in asked]
        payload = {"lesson": self._slug, "practice": self._practice, "items": items}
        event = record(SESSION, payload, self._reviews)
        self._bank.prepare(asked)
        return Sitting(event.id, self._slug, asked, (), self._bank)

    def sit(self, screen: Screen, companion: Companion) -> None:
        """Ask until all is done. Raises Left."""
        answered = len(self.sitting.first_tries)
        note = f"You began this session today: {answered} of {self.sitting.size} are answered." if answered else ""
        while True:
            try:
                sit(screen, self.sitting, self._heading(), self._record, companion, note)
            except ItemGone as gone:  # the course was changed since it was chosen
                self._stock = self._stock.without(gone.item)
                self.sitting = self._begin()
            else:
                return

    def _record(self, kind: str, payload: Mapping[str, Any]) -> None:
        record(kind, payload, self._reviews)

    def broken_off(self) -> str:
        """What to tell when the learner stopped in the middle."""
        if self.sitting.counted:
            return f"{self._slug}: stopped. Every question had its first try, so the session counts.\n\n{self.told()}"
        answered = len(self.sitting.first_tries)
        again = f"anatomy quiz {self._slug}" if self._practice else f"anatomy review {self._slug}"
        kept = f"{answered} of {self.sitting.size} answers are kept"
        return f"{self._slug}: stopped; {kept}. Go on today with `{again}`; tomorrow it begins anew."

    def told(self) -> str:
        """The summary: what it came to, and what comes next and when."""
        reviews, now = learner_reviews(self._course, notes=False)
        history = reviews.lessons[self._slug]
        return str(
            Summary(
                sitting=self.sitting,
                heading=self._heading().text,
                practice=self._practice,
                took_rung=self._took_rung(history),
                after=place(history, now.day) if self._place else None,
                flagged=history.flagged,
                exercise_of=self._bank.exercise,
                today=now.day,
            )
        )

    @property
    def passed(self) -> bool:
        """Whether it took its rung with a score that reaches the pass mark; practice has neither."""
        if self._practice:
            return True
        reviews, _ = learner_reviews(self._course, notes=False)
        return passes(self.sitting.score) and self._took_rung(reviews.lessons[self._slug])

    def _took_rung(self, history: LessonHistory) -> bool:
        return any(each.session == self.sitting.session and each.rung is not None for each in history.all_reviews)

    def _heading(self) -> Heading:
        if self._practice or self._place is None:
            return Heading(f"{self._slug}, practice")
        return Heading(f"{self._slug}, {rung_name(self._place)}")


def _occasion(history: LessonHistory, where: Place | None, practice: bool) -> str:
    """What the session is for, in a word that any machine finds: it decides the numbers."""
    if practice or where is None:
        return f"practice-{len(history.all_reviews)}"
    if where.status == "extension":
        return f"extension-{sum(taken.rung == EXTENSION for taken in where.taken)}"
    return f"rung-{where.rung}"
