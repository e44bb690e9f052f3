"""What the log says about reviews: per lesson, its ladder's beginning, the rungs taken and what was asked when.

All of it is computed afresh from the events and never stored. It depends on the set of events only: not on their order,
and not on how often one is met.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from math import fsum

from grader.course.model import Course
from grader.records.clock import DEFAULT_ROLLOVER_HOUR, LATEST_ROLLOVER_HOUR
from grader.records.event import Event
from grader.records.fold import completions
from grader.records.kinds import (
    ANSWER,
    BOOKKEEPING,
    GRADING,
    PAUSE,
    RESTART,
    RESUME,
    ROLLOVER_HOUR,
    SESSION,
    SETTING,
)
from grader.records.memory import collector_put_off
from grader.records.voids import live_events
from grader.review.ladder import Taken, rung_to_take
from grader.review.sessions import Answer, Asked, Moment, Session, moment, sessions_of

_NEVER: Moment = (date.min, datetime.min.replace(tzinfo=UTC), "")

MISSES_TO_FLAG = 3
"""In how many reviews that counted an item is missed before it is linked to its section of the lesson."""


@dataclass(frozen=True, slots=True)
class ItemScore:
    """The first answer to an item in a review: of which version it was, and its score, 0 to 1."""

    item: str
    version: int
    score: float
    missed: bool


@dataclass(frozen=True, slots=True)
class Review:
    """A finished session. `score` is the mean of its first answers.

    `rung` is the one it took (1 to 5, or ladder.EXTENSION); None if it did not count, because it was practice, came
    second in its window, or came before its time. `session` is the id of the event to undo it by.
    """

    session: str
    lesson: str
    day: date
    score: float
    items: tuple[ItemScore, ...]
    rung: int | None
    practice: bool


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session in which an item still waits for its first answer. `tries` are the answers so far, by item, in order.

    It can be gone on with on its own study day only.
    """

    id: str
    lesson: str
    practice: bool
    day: date
    items: tuple[Asked, ...]
    tries: Mapping[str, tuple[Answer, ...]]


@dataclass(frozen=True)
class LessonHistory:
    """What has happened to one lesson's quiz.

    `anchor` is the study day that the ladder counts from, and `cycle` the number of ladders begun; None and 0 if the
    lesson was never completed. `reviews` are those of this cycle, `all_reviews` those of every cycle, in order.
    `pinned` are the items missed when they were last asked in a review of this cycle that counted, longest first;
    `flagged` those missed in three reviews that counted, of any cycle. `asked` says when each item had its last first
    answer, in whatever session; `passes` on which days it was got right in a review that counted. `open_session` and
    `open_practice` are the newest ones that were begun and not finished.
    """

    lesson: str
    anchor: date | None = None
    cycle: int = 0
    reviews: tuple[Review, ...] = ()
    all_reviews: tuple[Review, ...] = ()
    paused: bool = False
    pinned: tuple[str, ...] = ()
    flagged: tuple[str, ...] = ()
    asked: Mapping[str, Moment] = field(default_factory=dict)
    passes: Mapping[str, tuple[date, ...]] = field(default_factory=dict)
    open_session: OpenSession | None = None
    open_practice: OpenSession | None = None


@dataclass(frozen=True)
class Reviews:
    """All that is known about a learner's reviews; `lessons` has every lesson of the course.

    `last_day` is the latest study day on which anything happened that still counts. `learner` is the device on which
    it all began: what seeds are drawn for. `named` says on which study day each misconception was last named.
    """

    lessons: Mapping[str, LessonHistory]
    last_day: date | None = None
    learner: str | None = None
    rollover_hour: int = DEFAULT_ROLLOVER_HOUR
    named: Mapping[str, date] = field(default_factory=dict)


@collector_put_off()
def fold_reviews(events: Iterable[Event], course: Course) -> Reviews:
    """The reviews that the events of a log make, in any order."""
    live = live_events(events)
    deeds = [event for event in live if event.type not in BOOKKEEPING]
    by_type: dict[str, list[Event]] = defaultdict(list)
    for event in deeds:
        by_type[event.type].append(event)

    sessions: dict[str, list[Session]] = defaultdict(list)
    for session in sessions_of(by_type[SESSION], by_type[ANSWER]):
        sessions[session.lesson].append(session)
    completed = completions(live, course)
    restarts = _by_lesson(by_type[RESTART])
    switches = _by_lesson(event for event in deeds if event.type in (PAUSE, RESUME))

    return Reviews(
        lessons={
            lesson.slug: _lesson_history(
                lesson.slug,
                completed.get(lesson.slug),
                restarts[lesson.slug],
                sessions[lesson.slug],
                paused=any(event.type == PAUSE for event in switches[lesson.slug][-1:]),
            )
            for lesson in course.lessons
        },
        last_day=max((event.study_day for event in deeds), default=None),
        learner=deeds[0].device if deeds else None,
        rollover_hour=_rollover_hour(by_type[SETTING]),
        named=_named(by_type[GRADING]),
    )


def _by_lesson(events: Iterable[Event]) -> dict[str, list[Event]]:
    lessons: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        lessons[str(event.payload.get("lesson"))].append(event)
    return lessons


def _rollover_hour(settings: Sequence[Event]) -> int:
    for event in reversed(settings):
        value = event.payload.get("value")
        if event.payload.get("name") == ROLLOVER_HOUR and type(value) is int and 0 <= value <= LATEST_ROLLOVER_HOUR:
            return value
    return DEFAULT_ROLLOVER_HOUR


def _named(gradings: Iterable[Event]) -> dict[str, date]:
    named: dict[str, date] = {}
    for event in gradings:
        results = event.payload.get("exercises")
        for result in results.values() if isinstance(results, dict) else ():
            name = result.get("misconception") if isinstance(result, dict) else None
            if isinstance(name, str):
                named[name] = max(event.study_day, named.get(name, event.study_day))
    return named


def _lesson_history(
    lesson: str, completed: Event | None, restarts: Iterable[Event], sessions: Sequence[Session], *, paused: bool
) -> LessonHistory:
    starts = []
    if completed is not None:
        first = moment(completed)
        starts = [first, *sorted(start for start in map(moment, restarts) if start > first)]
    finished = [(at, session) for session in sessions if (at := session.finished_at()) is not None]
    finished.sort(key=lambda pair: pair[0])

    cycles: list[list[Review]] = [[] for _ in range(len(starts) + 1)]  # the first holds what came before completion
    taken: list[Taken] = []
    cycle = 0
    for at, session in finished:
        if (now := bisect_right(starts, at)) != cycle:
            cycle, taken = now, []
        review = _review(session, starts[cycle - 1][0] if cycle else None, taken)
        if review.rung is not None:
            taken.append(Taken(review.rung, review.day, review.score))
        cycles[cycle].append(review)

    every = [review for reviews in cycles for review in reviews]
    counted = [review for review in every if review.rung is not None]
    return LessonHistory(
        lesson=lesson,
        anchor=starts[-1][0] if starts else None,
        cycle=len(starts),
        reviews=tuple(cycles[-1]),
        all_reviews=tuple(every),
        paused=paused,
        pinned=_pinned(review for review in cycles[-1] if review.rung is not None),
        flagged=_flagged(counted),
        asked=_asked(sessions),
        passes=_passes(counted),
        open_session=_open_session([session for session in sessions if not session.practice]),
        open_practice=_open_session([session for session in sessions if session.practice]),
    )


def _review(session: Session, anchor: date | None, taken: Sequence[Taken]) -> Review:
    items = tuple(
        ItemScore(item, answer.payload["version"], float(answer.payload["score"]), answer.payload["missed"])
        for item in session.records
        for _, answer in [session.firsts[item]]
    )
    day = session.event.study_day
    return Review(
        session=session.event.id,
        lesson=session.lesson,
        day=day,
        score=fsum(item.score for item in items) / len(items),
        items=items,
        rung=None if anchor is None or session.practice else rung_to_take(anchor, taken, day),
        practice=session.practice,
    )


def _pinned(counted: Iterable[Review]) -> tuple[str, ...]:
    pins: dict[str, None] = {}
    for review in counted:
        for each in review.items:
            if each.missed:
                pins.setdefault(each.item)
            else:
                pins.pop(each.item, None)
    return tuple(pins)


def _flagged(counted: Iterable[Review]) -> tuple[str, ...]:
    misses: dict[str, int] = defaultdict(int)
    for review in counted:
        for each in review.items:
            misses[each.item] += each.missed
    return tuple(sorted(item for item, count in misses.items() if count >= MISSES_TO_FLAG))


def _passes(counted: Iterable[Review]) -> dict[str, tuple[date, ...]]:
    passes: dict[str, list[date]] = defaultdict(list)
    for review in counted:
        for each in review.items:
            if not each.missed:
                passes[each.item].append(review.day)
    return {item: tuple(days) for item, days in passes.items()}


def _asked(sessions: Iterable[Session]) -> dict[str, Moment]:
    asked: dict[str, Moment] = {}
    for session in sessions:
        for item, (at, _) in session.firsts.items():
            if at > asked.get(item, _NEVER):
                asked[item] = at
    return asked


def _open_session(sessions: Sequence[Session]) -> OpenSession | None:
    newest_day = max((session.event.study_day for session in sessions), default=None)
    waiting = [session for session in sessions if session.event.study_day == newest_day and session.waiting]
    if not waiting:
        return None
    session = max(waiting, key=lambda each: moment(each.event))
    return OpenSession(
        id=session.event.id,
        lesson=session.lesson,
        practice=session.practice,
        day=session.event.study_day,
        items=session.items,
        tries=session.tries(),
    )
