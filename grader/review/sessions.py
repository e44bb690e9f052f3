"""Sessions and answers as events tell them. Those of another shape, as a later version may write, are left out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from operator import itemgetter
from typing import Any

from grader.records.event import Event

_ASKED_FIELDS = itemgetter("item", "version", "seed", "why")
_ASKED_TYPES = (str, int, str, str)
_ANSWER_FIELDS = itemgetter("session", "item", "try", "version", "score", "missed")

Moment = tuple[date, datetime, str]
"""When something happened, as far as reviews go: by study day, then by moment, then by id."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An item of a session: its version, its seed, and why it was chosen: pinned, mistake or rotation."""

    item: str
    version: int
    seed: str
    why: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One try at one item, as it was logged: `attempt` counts from 1, `event` is the id to undo it by.

    `params`, `expected` and `given` are those of the version that was asked, whatever became of the question since.
    """

    event: str
    item: str
    version: int
    attempt: int
    seed: str
    params: Mapping[str, Any]
    expected: Any
    given: Any
    score: float
    missed: bool
    day: date
    at: datetime


@dataclass(frozen=True, slots=True)
class Session:
    """A session that was begun, with the answers to it that count: of each attempt at each item, the earliest.

    `records` has what the event says of each item, in order; `firsts` the first attempts, with their moments.
    """

    event: Event
    lesson: str
    practice: bool
    records: Mapping[str, Mapping[str, Any]]
    firsts: dict[str, tuple[Moment, Event]] = field(default_factory=dict)
    others: dict[tuple[str, int], Event] = field(default_factory=dict)

    @property
    def waiting(self) -> bool:
        """Whether an item has no answer yet."""
        return len(self.firsts) < len(self.records)

    def finished_at(self) -> Moment | None:
        """When the last item got its first answer; None if the session was not finished on its own study day."""
        if self.waiting:
            return None
        moments = [at for at, _ in self.firsts.values()]
        return max(moments) if all(at[0] == self.event.study_day for at in moments) else None

    @property
    def items(self) -> tuple[Asked, ...]:
        """What it asks, in order."""
        return tuple(Asked(*_ASKED_FIELDS(record)) for record in self.records.values())

    def tries(self) -> dict[str, tuple[Answer, ...]]:
        """The answers to each item that has any, in order."""
        later = sorted(self.others.items())
        return {
            item: (_answer(first), *(_answer(event) for (other, _), event in later if other == item))
            for item, (_, first) in self.firsts.items()
        }


def moment(event: Event) -> Moment:
    """The sort key of whatever happens to a ladder."""
    return (event.study_day, event.at, event.id)


def session_of(event: Event) -> Session | None:
    """The session that an event began, without answers; None if it cannot be read or asks nothing."""
    lesson, practice, records = (event.payload.get(key) for key in ("lesson", "practice", "items"))
    if type(lesson) is not str or type(practice) is not bool or type(records) is not list or not records:
        return None
    items: dict[str, dict[str, Any]] = {}
    for record in records:
        try:
            values = _ASKED_FIELDS(record)
        except (KeyError, TypeError):
            return None
        if tuple(map(type, values)) != _ASKED_TYPES:
            return None
        items.setdefault(values[0], record)
    return Session(event, lesson, practice, items)


def sessions_of(begun: Iterable[Event], answers: Iterable[Event]) -> list[Session]:
    """The sessions that these events began, with the answers to them."""
    sessions = [session for event in begun if (session := session_of(event)) is not None]
    add_answers({session.event.id: session for session in sessions}, answers)
    return sessions


def add_answers(sessions: Mapping[str, Session], answers: Iterable[Event]) -> None:
    """Give each session the answers to it. Where a try was logged twice, as by a double click, the earlier counts."""
    for event in answers:
        try:
            session_id, item, attempt, version, score, missed = _ANSWER_FIELDS(event.payload)
        except KeyError:
            continue
        session = sessions.get(session_id) if type(session_id) is str else None
        if (
            session is None
            or type(item) is not str
            or item not in session.records
            or type(attempt) is not int
            or type(version) is not int
            or type(missed) is not bool
            or not (type(score) is float or type(score) is int)
            or not 0 <= score <= 1
        ):
            continue
        if attempt == 1:
            first = (moment(event), event)
            if session.firsts.setdefault(item, first)[0] > first[0]:
                session.firsts[item] = first
        elif attempt > 1 and moment(session.others.setdefault((item, attempt), event)) > moment(event):
            session.others[item, attempt] = event


def _answer(event: Event) -> Answer:
    payload = event.payload
    params = payload.get("params")
    return Answer(
        event=event.id,
        item=payload["item"],
        version=payload["version"],
        attempt=payload["try"],
        seed=str(payload.get("seed", "")),
        params=params if isinstance(params, dict) else {},
        expected=payload.get("expected"),
        given=payload.get("given"),
        score=float(payload["score"]),
        missed=payload["missed"],
        day=event.study_day,
        at=event.at,
    )
