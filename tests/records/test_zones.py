"""Study days in every time zone there is, on the days when its clocks change."""

import zoneinfo
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import pytest

from grader.records.clock import DEFAULT_ROLLOVER_HOUR, study_day

FIRST, LAST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2037, 12, 31, tzinfo=UTC)
STEP = timedelta(days=5)
"""No zone has changed its clocks twice in less than six days in these years."""
SECOND = timedelta(seconds=1)
HALF_HOUR = timedelta(minutes=30)
ZONES = sorted(zoneinfo.available_timezones())


@cache
def samples() -> tuple[datetime, ...]:
    return tuple(FIRST + number * STEP for number in range((LAST - FIRST) // STEP + 1))


@cache
def changes() -> dict[str, tuple[datetime, ...]]:
    """The moments at which the clocks of each zone change; of zones with one history, one."""
    histories: dict[tuple[timedelta | None, ...], str] = {}
    for name in ZONES:
        zone = ZoneInfo(name)
        histories.setdefault(tuple(moment.astimezone(zone).utcoffset() for moment in samples()), name)
    return {name: tuple(_changes(ZoneInfo(name), offsets)) for offsets, name in histories.items()}


def _changes(zone: ZoneInfo, offsets: tuple[timedelta | None, ...]) -> Iterator[datetime]:
    for number in range(len(offsets) - 1):
        if offsets[number] != offsets[number + 1]:
            before, after = samples()[number : number + 2]
            while after - before > SECOND:
                middle = before + (after - before) // 2 // SECOND * SECOND
                if middle.astimezone(zone).utcoffset() == offsets[number]:
                    before = middle
                else:
                    after = middle
            yield after


def test_all_zones_are_there() -> None:
    assert len(ZONES) > 400
    assert sum(map(len, changes().values())) > 4000
    spring, autumn = datetime(2026, 3, 29, 1, tzinfo=UTC), datetime(2026, 10, 25, 1, tzinfo=UTC)
    assert any({spring, autumn} <= set(moments) for moments in changes().values())


def test_around_both_changes_of_every_zone_the_day_begins_when_the_clock_shows_the_rollover() -> None:
    for name, moments in changes().items():
        zone = ZoneInfo(name)
        for change in moments[-2:]:
            for number in range(-60, 61):
                wall = (change + number * HALF_HOUR).astimezone(zone)
                night = wall.hour < DEFAULT_ROLLOVER_HOUR
                expected = date(wall.year, wall.month, wall.day) - timedelta(days=night)
                assert study_day(wall) == expected, f"{name}, {wall}"


@pytest.mark.parametrize("night", ["2026-03-29T02:30:00+00:00", "2026-10-25T02:30:00+00:00"])
def test_four_hours_before_the_moment_would_be_wrong_on_both_days(night: str) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    moment = datetime.fromisoformat(night)
    assert (moment - timedelta(hours=4)).astimezone(berlin).date() != study_day(moment.astimezone(berlin))


@pytest.mark.parametrize("rollover", [4, 5, 6])
def test_no_change_of_clocks_ever_steps_back_a_day(rollover: int) -> None:
    for name, moments in changes().items():
        zone = ZoneInfo(name)
        for change in moments:
            before, after = (change - SECOND).astimezone(zone), change.astimezone(zone)
            assert study_day(after, rollover) >= study_day(before, rollover), f"{name}, {change}"


def test_with_the_day_that_the_log_has_reached_none_does_at_any_rollover() -> None:
    steps_back = 0
    for name, moments in changes().items():
        zone = ZoneInfo(name)
        for change in moments:
            before, after = (change - SECOND).astimezone(zone), change.astimezone(zone)
            for rollover in range(4):
                reached = study_day(before, rollover)
                steps_back += study_day(after, rollover) < reached
                assert study_day(after, rollover, reached) >= reached, f"{name}, {change}, {rollover}"
    assert steps_back, "at an early rollover there are such changes: midnight comes twice"
