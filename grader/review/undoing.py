"""What can be taken back, in words. Nothing is removed: a `void` event names what no longer counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from grader.errors import UserError
from grader.records.event import Event
from grader.records.kinds import BOOKKEEPING, COMPLETE, PAUSE, RESTART, RESUME, SESSION, SETTING
from grader.records.voids import live_events

SHORTEST_ID = 6
"""Characters of an id that are shown at least, and that must be typed at least."""

_SAYS = {
    SESSION: "the session on {lesson}",
    COMPLETE: "marking {lesson} as completed",
    RESTART: "the restart of {lesson}",
    PAUSE: "the pause of {lesson}",
    RESUME: "the end of the pause of {lesson}",
    SETTING: "setting {name} to {value}",
}


@dataclass(frozen=True, slots=True)
class Undoable:
    """An event that can be taken back. handle: the end of its id, as short as tells it from the others."""

    event: Event
    says: str
    handle: str


def undoable(events: Iterable[Event]) -> list[Undoable]:
    """What the learner did by command and may take back, the latest first. Gradings are facts and stay."""
    candidates = [event for event in live_events(events) if event.type in _SAYS]
    candidates.sort(key=lambda event: event.order, reverse=True)
    return [Undoable(event, _describe(event), _handle(event, candidates)) for event in candidates]


def find(choices: Sequence[Undoable], typed: str) -> Undoable:
    """The one whose id ends with what was typed. Raises UserError."""
    wanted = typed.strip().lower()
    found = [choice for choice in choices if choice.event.id.endswith(wanted)] if len(wanted) >= SHORTEST_ID else []
    if len(found) == 1:
        return found[0]
    problem = "several records end" if found else "no record that can be undone ends"
    raise UserError(f"{problem} with {typed!r}. `anatomy undo --list` shows them.".capitalize())


def dated_after(events: Iterable[Event], day: date) -> list[Event]:
    """Every live event of a study day after `day`, gradings too: what a clock that ran ahead has left."""
    return [event for event in live_events(events) if event.study_day > day and event.type not in BOOKKEEPING]


def _describe(event: Event) -> str:
    said = {key: str(event.payload.get(key, "?")) for key in ("lesson", "name", "value")}
    return f"{_SAYS[event.type].format_map(said)} ({event.study_day})"


def _handle(event: Event, others: Sequence[Event]) -> str:
    # The end of a UUIDv7 is random, its beginning is the time.
    for length in range(SHORTEST_ID, len(event.id)):
        ending = event.id[-length:]
        if sum(other.id.endswith(ending) for other in others) == 1:
            return ending
    return event.id
