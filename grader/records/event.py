"""One event of the log, and its form as a line of JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from grader.records.clock import DEFAULT_ROLLOVER_HOUR, LATEST_ROLLOVER_HOUR, study_day

_MINUTES_A_DAY = 24 * 60


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
) -> Event:
    """An event that happens `now`, a time with an offset. Raises ValueError for a time without one."""
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
        study_day=study_day(now, rollover_hour),
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
    try:
        record = json.loads(line, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:
        raise ValueError("it is not JSON") from None
    if not isinstance(record, dict):
        raise ValueError("it is not a JSON object")
    at = _moment(_field(record, "at", str))
    offset_min = _field(record, "offset_min", int)
    if abs(offset_min) >= _MINUTES_A_DAY:
        raise ValueError(f"offset_min is {offset_min}")
    rollover_hour = _field(record, "rollover_hour", int)
    if not 0 <= rollover_hour <= LATEST_ROLLOVER_HOUR:
        raise ValueError(f"rollover_hour is {rollover_hour}")
    return Event(
        id=str(_parsed("id", UUID, _field(record, "id", str))),
        type=_field(record, "type", str),
        at=at,
        offset_min=offset_min,
        rollover_hour=rollover_hour,
        study_day=_parsed("study_day", date.fromisoformat, _field(record, "study_day", str)),
        device=_field(record, "device", str),
        payload=_field(record, "payload", dict),
    )


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _field(record: dict[str, Any], key: str, kind: type[Any]) -> Any:
    value = record.get(key)
    if type(value) is not kind:
        raise ValueError(f"{key} is missing" if value is None else f"{key} is {value!r:.60}")
    return value


def _parsed(key: str, parse: Any, text: str) -> Any:
    try:
        return parse(text)
    except ValueError:
        raise ValueError(f"{key} is {text!r:.60}") from None


def _moment(text: str) -> datetime:
    moment: datetime = _parsed("at", datetime.fromisoformat, text)
    if moment.tzinfo is None:
        raise ValueError(f"at is {text!r:.60}, which has no offset")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"at is {text!r:.60}") from None
