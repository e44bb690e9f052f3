"""One event of the log, and its form as a line of JSON."""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from operator import itemgetter
from typing import Any, TypeVar
from uuid import UUID

import orjson

from grader.records.clock import DEFAULT_ROLLOVER_HOUR, FIRST_YEAR, LAST_YEAR, LATEST_ROLLOVER_HOUR, study_day

_MINUTES_A_DAY = 24 * 60
_is_plain_id = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch

_KINDS: dict[str, type] = {
    "id": str,
    "type": str,
    "at": str,
    "offset_min": int,
    "rollover_hour": int,
    "study_day": str,
    "device": str,
    "payload": dict,
}
_VALUES = itemgetter(*_KINDS)

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened once. It is never changed, and never dated anew by later settings.

    `at` is UTC, `offset_min` the UTC offset of the learner's wall clock in minutes, `study_day` was computed from both
    when the event was written. `payload` depends on `type`; types that are not known here are kept and ignored.
    """

    id: str
    type: str
    at: datetime
    offset_min: int
    rollover_hour: int
    study_day: date
    device: str
    payload: Mapping[str, Any]

    @property
    def order(self) -> tuple[datetime, str]:
        """The sort key of a history: by moment, then by id, so that no order of files or lines matters."""
        return (self.at, self.id)


def new_event(
    type: str,  # noqa: A002  the field's name in the log
    payload: Mapping[str, Any],
    now: datetime,
    device: str,
    rollover_hour: int = DEFAULT_ROLLOVER_HOUR,
    not_before: date | None = None,
) -> Event:
    """An event that happens `now`, a time with an offset. Raises ValueError for a time without one.

    `not_before` is the study day that the log has reached, as in `study_day`.
    """
    offset = now.utcoffset()
    if offset is None:
        raise ValueError("an event needs a time with a UTC offset")
    from uuid6 import uuid7  # only writing needs it, and it is slow to import for a command that only reads

    return Event(
        id=str(uuid7()),
        type=type,
        at=now.astimezone(UTC),
        offset_min=int(offset.total_seconds() // 60),
        rollover_hour=rollover_hour,
        study_day=study_day(now, rollover_hour, not_before),
        device=device,
        payload=payload,
    )


def to_line(event: Event) -> str:
    """The event as one line of ASCII JSON, line feed included. Raises ValueError for numbers JSON cannot hold."""
    record = {
        "id": event.id,
        "type": event.type,
        "at": event.at.isoformat().replace("+00:00", "Z"),
        "offset_min": event.offset_min,
        "rollover_hour": event.rollover_hour,
        "study_day": event.study_day.isoformat(),
        "device": event.device,
        "payload": event.payload,
    }
    return json.dumps(record, allow_nan=False, separators=(",", ":")) + "\n"


def from_line(line: str) -> Event:
    """The event of a line. Raises ValueError with a reason when it is not one."""
    return _from_record(_object(line))


def from_lines(text: bytes) -> list[Event]:
    """The events of lines that are believed to be whole. Raises ValueError, without a reason, if one of them is not."""
    # One call for many lines takes half the time of a call for each: the keys are made once. A line feed may stand
    # between values, and nowhere inside of one: what was not a line of its own changes the count.
    text = text.strip(b" \t\r\n")
    records = orjson.loads(b"[" + text.replace(b"\n", b",\n") + b"]")  # what it refuses is a ValueError
    if len(records) != (text.count(b"\n") + 1 if text else 0):
        raise ValueError("lines and values do not match")
    return [_from_record(record) for record in records]


def unite(known: dict[str, Event], events: Iterable[Event]) -> None:
    """Add events to those that are known by their ids. Each counts once, whatever is met first.

    Two of the same id are equal, unless somebody has edited a log: then the one whose line sorts first is taken.
    """
    for event in events:
        other = known.setdefault(event.id, event)
        if other is not event and other != event:
            known[event.id] = min(other, event, key=to_line)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text:.60} is too large")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)


def _object(line: str) -> Any:
    try:
        return _DECODER.decode(line)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:
        raise ValueError("it is not JSON") from None


def _from_record(record: Any) -> Event:
    if type(record) is not dict:
        raise ValueError("it is not a JSON object")
    try:
        id_, type_, at, offset_min, rollover_hour, day, device, payload = values = _VALUES(record)
    except KeyError as error:
        raise ValueError(f"{error.args[0]} is missing") from None
    if not (
        type(id_) is type(type_) is type(at) is type(day) is type(device) is str
        and type(offset_min) is type(rollover_hour) is int
        and type(payload) is dict
    ):
        raise ValueError(_misfit(values))
    if not -_MINUTES_A_DAY < offset_min < _MINUTES_A_DAY:
        raise ValueError(f"offset_min is {offset_min}")
    if not 0 <= rollover_hour <= LATEST_ROLLOVER_HOUR:
        raise ValueError(f"rollover_hour is {rollover_hour}")
    return Event(
        # What the log writes is plain; only what somebody else wrote is worth the time to parse it.
        id_ if _is_plain_id(id_) else str(_parsed("id", UUID, id_)),
        type_,
        _moment(at),
        offset_min,
        rollover_hour,
        _day(day),
        device,
        payload,
    )


def _misfit(values: Iterable[Any]) -> str:
    for (key, kind), value in zip(_KINDS.items(), values, strict=True):
        if value is None:
            return f"{key} is missing"
        if type(value) is not kind:
            return f"{key} is {value!r:.60}"
    raise AssertionError("nothing is amiss")


def _parsed(key: str, parse: Callable[[str], _T], text: str) -> _T:
    try:
        return parse(text)
    except ValueError:
        raise ValueError(f"{key} is {text!r:.60}") from None


@lru_cache(maxsize=4096)
def _day(text: str) -> date:
    day = _parsed("study_day", date.fromisoformat, text)
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise ValueError(f"study_day is {text!r}, and no ladder reaches there")
    return day


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"at is {text!r:.60}") from None
    if moment.tzinfo is UTC:
        return moment
    if moment.tzinfo is None:
        raise ValueError(f"at is {text!r:.60}, which has no offset")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"at is {text!r:.60}") from None
