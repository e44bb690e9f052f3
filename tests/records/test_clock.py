"""Time comes from one place, and the study day is the wall clock's date minus the rollover."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UserError
from grader.records.clock import now, study_day


def test_now_is_what_the_variable_says() -> None:
    moment = now({"ANATOMY_NOW": "2026-03-01T09:30:00+01:00"})
    assert moment.isoformat() == "2026-03-01T09:30:00+01:00"
    assert now({"ANATOMY_NOW": " 2026-03-01T09:30:00Z "}).utcoffset() == timedelta(0)


@pytest.mark.parametrize("environ", [{}, {"ANATOMY_NOW": ""}, {"ANATOMY_NOW": "  "}])
def test_without_the_variable_it_is_the_system_clock_with_an_offset(environ: dict[str, str]) -> None:
    moment = now(environ)
    assert moment.utcoffset() is not None
    assert abs(moment - datetime.now(UTC)) < timedelta(minutes=1)


@pytest.mark.parametrize(
    "text",
    [
        "today",
        "2026-03-01T09:30:00",
        "2026-03-01",
        "2026-13-01T00:00:00Z",
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:00:00-05:00",
    ],
)
def test_another_value_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UserError) as caught:
        now({"ANATOMY_NOW": text})
    assert str(caught.value) == (
        f"ANATOMY_NOW is {text!r}, which is not a time with an offset. Write it like 2026-03-01T09:30:00+01:00."
    )


@pytest.mark.parametrize(
    ("wall", "rollover", "day"),
    [
        ("2026-03-01T03:59:59", 4, "2026-02-28"),
        ("2026-03-01T04:00:00", 4, "2026-03-01"),
        ("2026-03-01T00:00:00", 0, "2026-03-01"),
        ("2026-03-01T05:59:00", 6, "2026-02-28"),
        ("2024-03-01T01:00:00", 4, "2024-02-29"),
        ("2026-01-01T01:00:00", 4, "2025-12-31"),
    ],
)
def test_the_night_belongs_to_the_day_before(wall: str, rollover: int, day: str) -> None:
    assert study_day(datetime.fromisoformat(wall), rollover) == date.fromisoformat(day)


@pytest.mark.parametrize("day", ["2026-03-29", "2026-10-25"])
def test_on_days_when_clocks_change_the_wall_clock_counts(day: str) -> None:
    zone = ZoneInfo("Europe/Berlin")
    before = datetime.fromisoformat(f"{day}T03:59:00").replace(tzinfo=zone)
    after = datetime.fromisoformat(f"{day}T04:00:00").replace(tzinfo=zone)
    assert study_day(before) == date.fromisoformat(day) - timedelta(days=1)
    assert study_day(after) == date.fromisoformat(day)


@pytest.mark.parametrize("hour", [-1, 7])
def test_a_rollover_outside_the_night_is_refused(hour: int) -> None:
    with pytest.raises(ValueError, match="the rollover hour is 0 to 6"):
        study_day(datetime(2026, 3, 1, tzinfo=UTC), hour)


@given(
    st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(9998, 1, 1)),  # noqa: DTZ001  a wall clock
    st.integers(0, 6),
)
def test_a_study_day_starts_at_the_rollover_and_lasts_till_the_next(wall: datetime, rollover: int) -> None:
    day = study_day(wall, rollover)
    start = datetime(day.year, day.month, day.day, rollover)  # noqa: DTZ001  a wall clock
    assert start <= wall < start + timedelta(days=1)


def test_the_first_day_of_all_is_refused_for_its_study_day_lies_before_it():
    with pytest.raises(UserError):
        now({"ANATOMY_NOW": "1970-01-01T01:00:00+00:00"})
