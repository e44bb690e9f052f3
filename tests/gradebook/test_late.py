"""What being late costs."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.gradebook.late import NO_DUE_TIME, UNKNOWN, LatePolicy, lateness, rounded

DUE = datetime(2026, 3, 1, 22, 59, tzinfo=UTC)
TEN = LatePolicy(Decimal(10), grace=15, cut_off=5, least=Decimal(20))

# A busy machine is no fault of what is tested.
calm = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])

ONE = "which is 1 begun day"
TAKEN = "% of the points are taken away."

policies = st.builds(
    LatePolicy,
    per_day=st.decimals(0, 100, places=2),
    grace=st.integers(0, 3000),
    cut_off=st.none() | st.integers(0, 30),
    least=st.decimals(0, 100, places=2),
)
spans = st.timedeltas(timedelta(days=-40), timedelta(days=40))
zones = st.sampled_from([UTC, ZoneInfo("Europe/Zurich"), ZoneInfo("Pacific/Apia"), timezone(timedelta(hours=-9.5))])


@calm
@given(policies, spans, spans, zones)
def test_later_never_costs_less(policy: LatePolicy, one: timedelta, other: timedelta, zone: ZoneInfo) -> None:
    sooner, later = sorted((one, other))
    first = lateness(policy, DUE, (DUE + sooner).astimezone(zone))
    second = lateness(policy, DUE, (DUE + later).astimezone(zone))
    assert first.share <= second.share
    assert (first.seconds or 0) <= (second.seconds or 0)
    assert 0 <= first.share <= 1


@calm
@given(policies, st.timedeltas(timedelta(0), timedelta(days=400)), st.booleans())
def test_in_time_costs_nothing(policy: LatePolicy, early: timedelta, flagged: bool) -> None:
    late = lateness(policy, DUE, DUE - early, flagged)
    assert (late.seconds, late.share, late.says) == (0, 0, "")


@calm
@given(policies, spans, spans)
def test_an_extension_is_the_due_moment_and_never_an_earlier_one(
    policy: LatePolicy, extra: timedelta, after: timedelta
) -> None:
    extended = lateness(policy, DUE, DUE + after, extension=DUE + extra)
    moved = lateness(policy, max(DUE, DUE + extra), DUE + after)
    assert extended == moved
    assert extended.share <= lateness(policy, DUE, DUE + after).share


@calm
@given(policies, st.timedeltas(timedelta(microseconds=1), timedelta(days=40)))
def test_after_the_grace_it_is_as_if_there_had_been_none(policy: LatePolicy, over: timedelta) -> None:
    without = LatePolicy(policy.per_day, 0, policy.cut_off, policy.least)
    forgiven = over <= timedelta(minutes=policy.grace)
    late = lateness(policy, DUE, DUE + over)
    assert late == (lateness(policy, DUE, DUE) if forgiven else lateness(without, DUE, DUE + over))


@pytest.mark.parametrize(
    ("over", "seconds", "share", "says"),
    [
        (timedelta(0), 0, "0", ""),
        (timedelta(minutes=15), 0, "0", ""),
        (timedelta(minutes=15, microseconds=1), 901, "0.1", f"Handed in 15 min 1 s late, {ONE}: 10 {TAKEN}"),
        (timedelta(days=1), 86400, "0.1", f"Handed in 1 day late: 10 {TAKEN}"),
        (timedelta(days=1, seconds=1), 86401, "0.2", f"Handed in 1 day 1 s late, which is 2 begun days: 20 {TAKEN}"),
        (timedelta(days=2, hours=3), 183600, "0.3", f"Handed in 2 days 3 h late, which is 3 begun days: 30 {TAKEN}"),
        (timedelta(days=5), 432000, "0.5", f"Handed in 5 days late: 50 {TAKEN}"),
        (timedelta(days=5, seconds=1), 432001, "1", "Handed in 5 days 1 s late: after 5 days nothing counts."),
    ],
)  # fmt: skip
def test_days_are_begun_periods_of_24_hours(over: timedelta, seconds: int, share: str, says: str) -> None:
    late = lateness(TEN, DUE, DUE + over)
    assert (late.seconds, late.share, late.says) == (seconds, Decimal(share), says)


def test_a_floor_stays_until_the_cut_off() -> None:
    policy = LatePolicy(Decimal(40), least=Decimal(25))
    assert lateness(policy, DUE, DUE + timedelta(days=300)).share == Decimal("0.75")


def test_a_day_on_which_the_clocks_change_has_24_hours_too() -> None:
    zurich = ZoneInfo("Europe/Zurich")
    due = datetime(2026, 3, 28, 23, 0, tzinfo=zurich)  # the clocks skip an hour in the night
    assert lateness(TEN, due, datetime(2026, 3, 30, 0, 0, tzinfo=zurich)).seconds == 86400
    assert lateness(TEN, due, datetime(2026, 3, 30, 0, 0, 1, tzinfo=zurich)).share == Decimal("0.2")


def test_where_nobody_knows_how_late_it_is_nothing_is_taken_and_it_says_so() -> None:
    marked = lateness(TEN, DUE, None, flagged_late=True)
    assert (marked.seconds, marked.share, marked.says) == (None, 0, UNKNOWN)
    unmarked = lateness(TEN, DUE, None)
    assert (unmarked.seconds, unmarked.share, unmarked.says) == (None, 0, "")


def test_where_the_time_is_known_the_platforms_mark_is_not_looked_at() -> None:
    assert lateness(TEN, DUE, DUE + timedelta(days=1), flagged_late=False).share == Decimal("0.1")
    extended = lateness(TEN, DUE, DUE + timedelta(hours=1), flagged_late=True, extension=DUE + timedelta(days=1))
    assert extended.seconds == 0


def test_without_a_due_time_nothing_is_late() -> None:
    assert lateness(TEN, None, DUE).seconds == 0
    assert lateness(TEN, None, None, flagged_late=True).says == NO_DUE_TIME


def test_a_time_without_an_offset_is_refused() -> None:
    with pytest.raises(ValueError, match="no offset"):
        lateness(TEN, DUE, DUE.replace(tzinfo=None))


@pytest.mark.parametrize(("points", "final"), [("7.005", "7.01"), ("7.0049", "7.00"), ("0.125", "0.13"), ("8", "8.00")])
def test_points_are_rounded_half_up(points: str, final: str) -> None:
    assert str(rounded(Decimal(points))) == final


def test_a_policy_is_told_in_words() -> None:
    assert str(TEN) == (
        "10 % of the earned points for each begun day, at least 20 % stay, nothing counts after 5 days, 15 min of grace"
    )
    assert str(LatePolicy()) == "nothing is taken away"
