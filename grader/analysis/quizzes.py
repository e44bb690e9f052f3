"""The quiz logs that came with submissions, pooled: how hard each item is, whether it tells learners apart, and more.

Logs are whatever learners chose to hand in, so nothing in them is believed to be well formed, and nothing is kept but
counts of what the course itself knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.analysis.discrimination import Discrimination, ItemRest
from grader.analysis.returning import Mistake, returned
from grader.course.model import Course
from grader.records.event import Event
from grader.records.kinds import ANSWER, SESSION
from grader.records.log import Damage, read_lines, unreported
from grader.records.memory import collector_put_off
from grader.records.voids import live_events
from grader.review.questions.model import Kind, Question
from grader.review.sessions import Moment, Session, add_answers, session_of

MOST_BYTES = 16 * 2**20
"""Of one learner's logs together. Ten gradings of the whole course a day for four months are half of it."""
MOST_LINES = 100_000
MOST_VALUES = 2_000_000
"""Empty lists take 20 times the room that they take in a file; what a log writes has a value in about 12 bytes."""
_LONGEST_REASON = 300
_MOST_MISTAKES = 5000
_LOG = Path("log")


@dataclass(frozen=True, slots=True)
class Picked:
    """One option of a choice or multi item, and how many learners picked it at their first try."""

    id: str
    text: str
    right: bool
    count: int


@dataclass(frozen=True, slots=True)
class ItemSummary:
    """One question of the course, in its present version.

    asked: learners whose first scored try at it is known; right: of those; mean_score: halves counted too; older: first
    tries at another version, which count nowhere else.
    """

    id: str
    lesson: str
    kind: Kind
    asked: int
    right: int
    mean_score: float | None
    discrimination: Discrimination
    options: tuple[Picked, ...]
    older: int

    @property
    def difficulty(self) -> float | None:
        """The share of learners that was right at the first try: 1 is easy. None if it was never asked."""
        return self.right / self.asked if self.asked else None

    @property
    def unpicked(self) -> tuple[Picked, ...]:
        """The wrong options that nobody picked; none while nobody was asked."""
        return tuple(each for each in self.options if not each.right and not each.count) if self.asked else ()


@dataclass(frozen=True, slots=True)
class Returning:
    """A misconception that came back (see grader.analysis.returning), and to how many learners."""

    exercise: str
    misconception: str
    learners: int


@dataclass(frozen=True, slots=True)
class DamagedLog:
    """A learner's log of which something could not be read. whole: nothing of it was used."""

    student: str
    says: str
    whole: bool


@dataclass(frozen=True, slots=True)
class QuizSummary:
    """learners: whose logs were read, each once; items: of the whole course, in its order; elsewhere: first tries at
    items that are none of the course's questions, as those that are made from a learner's own mistakes; same: students
    whose log begins like that of another one, named beside them, and was not counted again."""

    learners: int
    items: tuple[ItemSummary, ...]
    returning: tuple[Returning, ...]
    elsewhere: int
    damaged: tuple[DamagedLog, ...]
    same: tuple[tuple[str, str], ...]

    @property
    def asked(self) -> tuple[ItemSummary, ...]:
        """The items that anybody was asked."""
        return tuple(item for item in self.items if item.asked)


@dataclass(slots=True)
class _Tally:
    question: Question
    asked: int = 0
    right: int = 0
    score: float = 0.0
    older: int = 0
    picks: Counter[str] = field(default_factory=Counter)
    rest: ItemRest = field(default_factory=ItemRest)


class Pool:
    """Add the logs of each learner; of a learner, only counts are kept. questions: of each lesson, as `load_quizzes`
    reads them."""

    def __init__(self, course: Course, questions: Mapping[str, Sequence[Question]]) -> None:
        self._course = course
        self._items = {each.id: _Tally(each) for quiz in questions.values() for each in quiz}
        self._learners = 0
        self._elsewhere = 0
        self._returning: Counter[Mistake] = Counter()
        self._damaged: list[DamagedLog] = []
        self._same: list[tuple[str, str]] = []
        self._seen: dict[str, str] = {}
        self._students: set[str] = set()

    @collector_put_off()
    def add(self, student_id: str, logs: Sequence[bytes], named: Iterable[Mistake] = ()) -> None:
        """One student's log files, of however many devices. named: each exercise of the graded submission in which a
        misconception was named, with it.

        A student without logs is no learner here, and one that was added before is not counted again.
        """
        if not logs or student_id in self._students:
            return
        self._students.add(student_id)
        try:
            live = live_events(self._events(student_id, logs))
            sessions = _sessions(live)
            back = returned(live, sessions, named, self._course)
        except RecursionError:  # the fast parser takes what is nested deeper than anything else here goes
            self._refuse(student_id, "it is nested too deeply")
            return
        if not live:
            return
        # A group hands in one log several times, and a log can be passed on: it is one learner's all the same.
        owner = self._seen.setdefault(live[0].id, student_id)
        if owner != student_id:
            self._same.append((student_id, owner))
            return
        self._learners += 1
        self._count(_first_tries(sessions))
        for mistake in back:
            if mistake in self._returning or len(self._returning) < _MOST_MISTAKES:
                self._returning[mistake] += 1

    def _events(self, student_id: str, logs: Sequence[bytes]) -> list[Event]:
        if sum(map(len, logs)) > MOST_BYTES:
            self._refuse(student_id, f"it is larger than {MOST_BYTES // 2**20} MB")
            return []
        for most, what, marks in ((MOST_LINES, "lines", b"\n"), (MOST_VALUES, "values", b",[{")):
            if sum(log.count(mark) for log in logs for mark in marks) > most:
                self._refuse(student_id, f"it has more than {most:,} {what}")
                return []
        events: dict[str, Event] = {}
        damage: list[Damage] = []
        for log in logs:
            read_lines(_LOG, log, events, damage)
        told = unreported(damage, events.values())
        if told:
            first = told[0]
            lines = "1 line is" if len(told) == 1 else f"{len(told):,} lines are"
            says = f"{lines} left out; line {first.line}: {first.reason}"
            self._damaged.append(DamagedLog(student_id, says[:_LONGEST_REASON], whole=not events))
        return list(events.values())

    def _refuse(self, student_id: str, why: str) -> None:
        self._damaged.append(DamagedLog(student_id, why, whole=True))

    def _count(self, first: Mapping[str, Event]) -> None:
        present: list[tuple[_Tally, Event]] = []
        for item, answer in first.items():
            tally = self._items.get(item)
            if tally is None:
                self._elsewhere += 1
            elif answer.payload["version"] != tally.question.version:
                tally.older += 1
            else:
                present.append((tally, answer))
        right = sum(not answer.payload["missed"] for _, answer in present)
        for tally, answer in present:
            is_right = not answer.payload["missed"]
            tally.asked += 1
            tally.right += is_right
            tally.score += float(answer.payload["score"])
            if len(present) > 1:
                tally.rest.add(is_right, (right - is_right) / (len(present) - 1))
            given = answer.payload.get("given")
            if tally.question.options and isinstance(given, str):
                chosen = set(given.split())
                tally.picks.update(option.id for option in tally.question.options if option.id in chosen)

    def summary(self) -> QuizSummary:
        """What the logs added until now come to."""
        order = {exercise.id: place for place, exercise in enumerate(self._course.exercises)}
        return QuizSummary(
            learners=self._learners,
            items=tuple(map(_item, self._items.values())),
            returning=tuple(
                Returning(exercise, misconception, learners)
                for (exercise, misconception), learners in sorted(
                    self._returning.items(), key=lambda pair: (-pair[1], order.get(pair[0][0], len(order)), pair[0])
                )
            ),
            elsewhere=self._elsewhere,
            damaged=tuple(sorted(self._damaged, key=lambda each: each.student)),
            same=tuple(sorted(self._same)),
        )


def _sessions(live: Iterable[Event]) -> list[Session]:
    by_type: dict[str, list[Event]] = {SESSION: [], ANSWER: []}
    for event in live:
        if event.type in by_type:
            by_type[event.type].append(event)
    sessions = [session for event in by_type[SESSION] if (session := session_of(event)) is not None]
    add_answers({session.event.id: session for session in sessions}, by_type[ANSWER])
    return sessions


def _first_tries(sessions: Iterable[Session]) -> dict[str, Event]:
    """Of each item, the earliest first try in a session that was no practice, whether or not it was finished."""
    first: dict[str, tuple[Moment, Event]] = {}
    for session in sessions:
        for item, tried in () if session.practice else session.firsts.items():
            if item not in first or tried[0] < first[item][0]:
                first[item] = tried
    return {item: answer for item, (_, answer) in first.items()}


def _item(tally: _Tally) -> ItemSummary:
    question = tally.question
    return ItemSummary(
        id=question.id,
        lesson=question.lesson,
        kind=question.kind,
        asked=tally.asked,
        right=tally.right,
        mean_score=tally.score / tally.asked if tally.asked else None,
        discrimination=tally.rest.result(),
        options=tuple(Picked(each.id, each.text, each.right, tally.picks[each.id]) for each in question.options),
        older=tally.older,
    )
