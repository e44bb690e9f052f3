"""Lines are read many at a time; what is read is the same as one at a time."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.records.event import Event, from_line, from_lines, new_event, to_line
from grader.records.log import Damage, read_lines

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LINES = [to_line(new_event("hint", {"number": number}, NOW, "machine")).rstrip("\n") for number in range(4)]
ONE, TWO, THREE = (line.encode() for line in LINES[:3])
IN_A_STRING = ONE.index(b"machine") + 3
PATH = Path("log.jsonl")


def read(raw: bytes) -> tuple[list[str], list[int]]:
    """The ids of the events in a file and the numbers of its damaged lines."""
    events: dict[str, Event] = {}
    damage: list[Damage] = []
    read_lines(PATH, raw, events, damage)
    return sorted(events), [fault.line for fault in damage]


def is_event(line: bytes) -> bool:
    try:
        from_line(line.decode("utf-8"))
    except ValueError:
        return False
    return True


def test_a_damaged_line_has_its_number_wherever_it_stands() -> None:
    events: dict[str, Event] = {}
    damage: list[Damage] = []
    raw = b"\n".join([*[ONE] * 300, b"first", *[TWO] * 300, b"second", b"third"])
    read_lines(PATH, raw, events, damage)
    assert [(fault.line, fault.torn) for fault in damage] == [(301, False), (602, False), (603, True)]


def test_many_lines_are_read_at_once_and_alike() -> None:
    assert from_lines("\n".join(LINES).encode()) == [from_line(line) for line in LINES]


@pytest.mark.parametrize(
    "lines",
    [
        (ONE[:-1], TWO[1:]),
        (ONE[:60], ONE[60:]),
        (b'{"a":1', b'"b":2}'),
        (b"[" + ONE, TWO + b"]"),
        (ONE + b"," + TWO,),
        (ONE + TWO,),
        (ONE[:IN_A_STRING], ONE[IN_A_STRING:], TWO + b"," + THREE),
        (b"[]",),
        (b"", b"," + ONE),
        (b"]", b"["),
        (b"\xff",),
        (b"\xef\xbb\xbf" + ONE,),
        (b"[" * 5000,),
    ],
)
def test_what_is_json_only_together_with_its_neighbours_is_damage(lines: tuple[bytes, ...]) -> None:
    ids, damaged = read(b"\n".join([ONE, *lines, TWO, b""]))
    expected = [number for number, line in enumerate(lines, start=2) if line and not is_event(line)]
    assert damaged == expected
    assert ids == sorted(json.loads(line)["id"] for line in (ONE, TWO))


parts = st.sampled_from(
    [*(line.encode() for line in LINES), ONE[:40], ONE[40:], b"", b" ", b"\r", b"\f", b"{}", b"{", b"1"]
)


@pytest.mark.parametrize("at_a_time", [1, 500, 10_000])
@settings(deadline=None)
@given(st.lists(st.lists(parts, max_size=2).map(b"".join), max_size=8))
def test_any_lines_are_events_or_damage_as_each_is_by_itself(at_a_time: int, lines: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.records.log._BYTES_AT_A_TIME", at_a_time)
        ids, damaged = read(b"\n".join(lines))
    written = [line for line in lines if line.strip()]
    assert ids == sorted({from_line(line.decode()).id for line in written if is_event(line)})
    assert damaged == [number for number, line in enumerate(lines, start=1) if line.strip() and not is_event(line)]


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
def test_a_number_that_cannot_be_written_again_is_damage(number: str) -> None:
    line = LINES[0].replace('"number":0', f'"number":{number}')
    with pytest.raises(ValueError, match="it is not JSON"):
        from_line(line)


@pytest.mark.parametrize("day", ["1969-12-31", "9999-01-01"])
def test_a_study_day_without_room_for_a_ladder_is_damage(day: str) -> None:
    with pytest.raises(ValueError, match=f"study_day is '{day}', and no ladder reaches there"):
        from_line(LINES[0].replace("2026-03-01", day, 2).replace(f'"at":"{day}', '"at":"2026-03-01'))


@pytest.mark.parametrize("id_", ["{0195c0de-0000-7000-8000-000000000001}", "0195C0DE-0000-7000-8000-000000000001"])
def test_an_id_may_be_spelled_otherwise_and_is_the_same(id_: str) -> None:
    line = json.dumps(json.loads(LINES[0]) | {"id": id_})
    assert from_line(line).id == "0195c0de-0000-7000-8000-000000000001"
