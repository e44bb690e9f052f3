"""Sessions and answers as events tell them. Those of another shape, as a later version may write, are left out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from grader.records.event import Event

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


@dataclass(slots=True)
class Session:
    """A session that was begun, with the answers to it that count: by item and attempt, the earliest of each."""

    event: Event
    lesson: str
    practice: bool
    items: tuple[Asked, ...]
    answers: dict[tuple[str, int], Event] = field(default_factory=dict)

    def first_tries(self) -> dict[str, Event]:
        """The first answer to each item that has one, in the order of the items."""
        firsts = ((asked.item, self.answers.get((asked.item, 1))) for asked in self.items)
        return {item: answer for item, answer in firsts if answer is not None}

    def finished_at(self) -> Moment | None:
        """When the last item got its first answer; None if the session was not finished on its own study day."""
        firsts = self.first_tries().values()
        if len(firsts) < len(self.items) or any(answer.study_day != self.event.study_day for answer in firsts):
            return None
        return max(map(moment, firsts))


def moment(event: Event) -> Moment:
    """The sort key of whatever happens to a ladder."""
    return (event.study_day, event.at, event.id)


def session_of(event: Event) -> Session | None:
    """The session that an event began, without answers; None if it cannot be read or asks nothing."""
    lesson, practice, items = (event.payload.get(key) for key in ("lesson", "practice", "items"))
    if not isinstance(lesson, str) or not isinstance(practice, bool) or not isinstance(items, list) or not items:
        return None
    asked = [_asked(record) for record in items]
    distinct = {each.item: each for each in reversed(asked) if each is not None}
    if None in asked:
        return None
    return Session(event, lesson, practice, tuple(reversed(distinct.values())))


def add_answers(sessions: Mapping[str, Session], answers: Iterable[Event]) -> None:
    """Give each session the answers to it. Where a try was logged twice, as by a double click, the earlier counts."""
    for event in answers:
        payload = event.payload
        session_id, item, attempt = payload.get("session"), payload.get("item"), payload.get("try")
        if type(session_id) is not str or type(item) is not str or type(attempt) is not int or attempt < 1:
            continue
        session = sessions.get(session_id)
        if session is None or not _is_marked(payload):
            continue
        known = session.answers.setdefault((item, attempt), event)
        if known is not event and moment(event) < moment(known):
            session.answers[item, attempt] = event


def answer_of(event: Event) -> Answer:
    """An answer that a session has taken."""
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


def _asked(record: Any) -> Asked | None:
    if not isinstance(record, dict):
        return None
    item, version, seed, why = (record.get(key) for key in ("item", "version", "seed", "why"))
    if type(item) is not str or type(version) is not int or type(seed) is not str or type(why) is not str:
        return None
    return Asked(item, version, seed, why)


def _is_marked(payload: Mapping[str, Any]) -> bool:
    score = payload.get("score")
    return (
        (type(score) is float or type(score) is int)
        and 0 <= score <= 1
        and type(payload.get("missed")) is bool
        and type(payload.get("version")) is int
    )
