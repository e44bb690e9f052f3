"""Undo: which events of a log still count."""

from collections.abc import Iterable
from operator import attrgetter

from grader.records.event import Event, unite
from grader.records.kinds import ANSWER, SESSION, VOID


def live_events(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events that still count, each once and in the order they happened.

    A void takes back the event whose id it names, wherever either stands; a session takes its answers with it. A void
    is never taken back, and no void is among the live events.
    """
    distinct: dict[str, Event] = {}
    unite(distinct, events)
    voided = {str(event.payload.get("event")) for event in distinct.values() if event.type == VOID}
    sessions = {id_ for id_ in voided if id_ in distinct and distinct[id_].type == SESSION}
    live = [
        event
        for event in distinct.values()
        if event.type != VOID
        and event.id not in voided
        and not (sessions and event.type == ANSWER and event.payload.get("session") in sessions)
    ]
    live.sort(key=attrgetter("at", "id"))
    return tuple(live)
