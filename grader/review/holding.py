"""One session of one lesson held for a learner: begun now or gone on with, recorded, and what it came to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grader.course.model import Course
from grader.records.kinds import ANSWER, SESSION
from grader.records.voids import live_events
from grader.review.bank import LessonBank
from grader.review.history import LessonHistory, Reviews, fold_reviews
from grader.review.ladder import EXTENSION, Place, passes, place
from grader.review.learner import Known, LearnerRecords
from grader.review.listing import rung_name
from grader.review.selection import choose
from grader.review.session import ItemGone, Reply, Sitting, Tried, Turn
from grader.review.sessions import Answer, Asked, Session, moment
from grader.review.summary import Summary


class Held:
    """A session as the log has it; `begin` and `latest` make one.

    place: where the lesson stood on its ladder when the session began, None if it was never completed.
    """

    sitting: Sitting

    def __init__(
        self, course: Course, slug: str, bank: LessonBank, practice: bool, records: LearnerRecords, known: Known
    ) -> None:
        self.slug, self.practice = slug, practice
        self._course, self._bank, self._records = course, bank, records
        self._reviews, self._day = known.reviews, known.today.day
        self._history = self._reviews.lessons[slug]
        self._stock = bank.stock(self._reviews, known.progress)
        answers = (event.payload for event in known.events if event.type == ANSWER)
        self._last_numbers = {str(answer.get("item")): answer.get("params") for answer in answers}
        self.place = self._placed(self._reviews)

    @classmethod
    def begin(cls, course: Course, slug: str, bank: LessonBank, practice: bool, records: LearnerRecords) -> Held:
        """Go on with the session of today that waits for answers, else begin one. Raises LogUnwritable."""
        held = cls(course, slug, bank, practice, records, records.known(course))
        if not held._go_on():
            held._begin()
        return held

    @classmethod
    def latest(
        cls, course: Course, slug: str, bank: LessonBank, practice: bool, records: LearnerRecords
    ) -> Held | None:
        """The session of today that was begun last, wherever it stands; None without one. Nothing is written.

        One that asks what is no more counts as none: `begin` makes another.
        """
        known = records.known(course)
        session = last_session(known, slug, practice)
        if session is None:
            return None
        held = cls(course, slug, bank, practice, records, known)
        if not (held._asks_what_is_there(session.items) if session.waiting else all(map(bank.knows, session.records))):
            return None
        if not session.waiting:  # it may have taken its rung: since then the lesson stands on the next one
            earlier = (event for event in live_events(known.events) if event.order < session.event.order)
            held.place = held._placed(fold_reviews(earlier, course))
        held._sit(session.event.id, session.items, session.tries())
        return held

    def _go_on(self) -> bool:
        """Go on with the session that was begun today, if there is one and all that it asks is still there."""
        begun = self._history.open_practice if self.practice else self._history.open_session
        if begun is None or begun.day != self._day or not self._asks_what_is_there(begun.items):
            return False
        self._sit(begun.id, begun.items, begun.tries)
        return True

    def _begin(self) -> None:
        """A new session, on the record."""
        rung = self.place.rung if self.place and not self.practice else None
        occasion = _occasion(self._history, self.place, self.practice)
        chosen = choose(self._stock, self._history, self._records.name(self._reviews), occasion, rung)
        asked = self._bank.with_new_numbers(chosen, self._last_numbers)
        items = [{"item": a.item, "version": a.version, "seed": a.seed, "why": a.why} for a in asked]
        payload = {"lesson": self.slug, "practice": self.practice, "items": items}
        event = self._records.record(SESSION, payload, self._reviews)
        self._sit(event.id, asked, {})

    def _sit(self, session: str, asked: Iterable[Asked], tries: Mapping[str, Iterable[Answer]]) -> None:
        asked = tuple(asked)
        answers = [answer for answers in tries.values() for answer in answers]
        tried = [Tried(answer.item, answer.attempt, answer.score, answer.missed) for answer in answers]
        self._bank.prepare(asked)
        self.sitting = Sitting(session, self.slug, asked, tried, self._bank)

    def _asks_what_is_there(self, asked: Iterable[Asked]) -> bool:
        return all(self._stock.find(each.item) for each in asked)

    def _placed(self, reviews: Reviews) -> Place | None:
        history = reviews.lessons[self.slug]
        return place(history, self._day) if history.anchor else None

    def renew(self, gone: ItemGone) -> None:
        """Begin anew without an item that is no more: the course was changed since it was chosen."""
        self._stock = self._stock.without(gone.item)
        self._begin()

    def accept(self, turn: Turn, reply: Reply) -> None:
        """Record an answer, and go on once it is on the disk. Raises LogUnwritable."""
        self._records.record(ANSWER, reply.record, self._reviews)
        self.sitting.accept(turn, reply)

    @property
    def heading(self) -> str:
        """What it is: `heads, rung 2 of 5`."""
        return f"{self.slug}, {self.occasion}"

    @property
    def occasion(self) -> str:
        """What it is where the lesson needs no name: `rung 2 of 5`, `practice`."""
        return "practice" if self.practice or self.place is None else rung_name(self.place)

    @property
    def summary(self) -> Summary:
        """What it came to, and what comes next and when."""
        known = self._records.known(self._course)
        history, now = known.reviews.lessons[self.slug], known.today
        return Summary(
            sitting=self.sitting,
            heading=self.heading,
            practice=self.practice,
            took_rung=self._took_rung(history),
            after=place(history, now.day) if self.place else None,
            flagged=history.flagged,
            exercise_of=self._bank.exercise,
            today=now.day,
        )

    @property
    def broken_off(self) -> str:
        """What to tell when the learner stopped in the middle."""
        if self.sitting.counted:
            return f"{self.slug}: stopped. Every question had its first try, so the session counts.\n\n{self.summary}"
        answered = len(self.sitting.first_tries)
        again = f"anatomy quiz {self.slug}" if self.practice else f"anatomy review {self.slug}"
        kept = f"{answered} of {self.sitting.size} answers are kept"
        return f"{self.slug}: stopped; {kept}. Go on today with `{again}`; tomorrow it begins anew."

    @property
    def passed(self) -> bool:
        """Whether it took its rung with a score that reaches the pass mark; practice has neither."""
        if self.practice:
            return True
        history = self._records.known(self._course).reviews.lessons[self.slug]
        return passes(self.sitting.score) and self._took_rung(history)

    def _took_rung(self, history: LessonHistory) -> bool:
        return any(each.session == self.sitting.session and each.rung is not None for each in history.all_reviews)


def last_session(known: Known, slug: str, practice: bool) -> Session | None:
    """The session of a lesson that was begun last today; None without one."""
    day = known.today.day
    todays = (
        each for each in known.sessions if (each.lesson, each.practice, each.event.study_day) == (slug, practice, day)
    )
    return max(todays, key=lambda each: moment(each.event), default=None)


def turn_heading(heading: str, turn: Turn) -> str:
    """What stands above a question: `heads, rung 2 of 5: question 7 of 8`."""
    return f"{heading}: question {turn.number} of {turn.of}" if turn.scored else f"{heading}: once more, not scored"


def _occasion(history: LessonHistory, where: Place | None, practice: bool) -> str:
    """What the session is for, in a word that any machine finds: it decides the numbers."""
    if practice or where is None:
        return f"practice-{len(history.all_reviews)}"
    if where.status == "extension":
        return f"extension-{sum(taken.rung == EXTENSION for taken in where.taken)}"
    return f"rung-{where.rung}"
