"""Which day it is when the clock and the log disagree."""

from datetime import UTC, date, datetime, timedelta, timezone

from made_log import NOON, day

from grader.records.clock import study_day
from grader.review.history import Reviews
from grader.review.today import Today, today


def at(last: date | None, now: datetime = NOON, rollover: int = 4) -> Today:
    return today(now, Reviews({}, last_day=last, rollover_hour=rollover))


def test_an_empty_log_goes_by_the_clock() -> None:
    assert at(None) == Today(day(0), practice_only=False, warning=None)


def test_a_clock_ahead_of_the_log_is_right() -> None:
    assert at(day(-400)) == Today(day(0))
    assert at(day(0)) == Today(day(0))


def test_a_log_one_day_ahead_is_right() -> None:
    assert at(day(1)) == Today(day(1))


def test_a_log_further_ahead_leaves_practice_and_says_how_to_put_it_right() -> None:
    assert at(day(2)) == Today(
        day(0),
        practice_only=True,
        warning="The clock says 2026-03-01, but your log has already reached 2026-03-03: until one of them is put "
        "right, reviews are practice. If the clock is wrong, mend it. If the log is, `anatomy undo --after 2026-03-01` "
        "takes back what was dated later.",
    )


def test_the_rollover_setting_counts() -> None:
    night = datetime(2026, 3, 1, 1, 30, tzinfo=UTC)
    assert at(None, night).day == date(2026, 2, 28)
    assert at(None, night, rollover=0).day == date(2026, 3, 1)
    assert at(None, night, rollover=1).day == date(2026, 3, 1)


def test_a_day_is_stored_as_today_would_have_it() -> None:
    for ahead in range(-3, 5):
        now = NOON.astimezone(timezone(timedelta(hours=-8)))
        assert study_day(now, 4, day(ahead)) == at(day(ahead), now).day
