"""The rungs: fixed dates, one window a day, and what is due when."""

from datetime import date, timedelta

import pytest
from made_log import DAY_0, day

from grader.review.history import LessonHistory, Review
from grader.review.ladder import EXTENSION, RUNGS, WINDOWS, Place, Taken, place, rung_of, rung_to_take


def at(n: int, *taken: tuple[int, int, float], paused: bool = False) -> Place:
    """The place on day n after reviews: (day, rung, score)."""
    reviews = tuple(Review("", "norms", day(on), score, (), rung, practice=False) for on, rung, score in taken)
    return place(LessonHistory("norms", DAY_0, 1, reviews, reviews, paused), day(n))


def test_each_day_belongs_to_one_rung() -> None:
    windows = {1: range(1, 3), 2: range(3, 6), 3: range(6, 13), 4: range(13, 26), 5: range(26, 5000)}
    for rung, days in windows.items():
        assert {rung_of(n) for n in days} == {rung}
    assert rung_of(0) is None
    assert rung_of(-1) is None


def test_each_due_date_lies_in_its_own_window() -> None:
    assert [rung_of(n) for n in RUNGS] == [1, 2, 3, 4, 5]
    assert [rung_of(n) for n in WINDOWS] == [1, 2, 3, 4, 5]


def test_on_the_day_of_completion_the_first_rung_lies_ahead() -> None:
    standing = at(0)
    assert (standing.status, standing.rung, standing.due) == ("upcoming", 1, day(1))
    assert not standing.is_due
    assert not standing.open


@pytest.mark.parametrize(
    ("n", "status", "rung"),
    [
        *[(1, "due", 1), (2, "overdue", 1), (3, "due", 2), (4, "overdue", 2), (5, "overdue", 2)],
        *[(6, "early", 3), (7, "due", 3), (12, "overdue", 3), (13, "early", 4), (14, "due", 4), (25, "overdue", 4)],
        *[(26, "early", 5), (29, "early", 5), (30, "due", 5), (31, "overdue", 5), (1000, "overdue", 5)],
    ],
)
def test_a_rung_is_due_on_its_date_and_stays_so_while_its_window_is_open(n: int, status: str, rung: int) -> None:
    before = [(RUNGS[each - 1], each, 1.0) for each in range(1, rung)]
    standing = at(n, *before)
    assert (standing.status, standing.rung, standing.due) == (status, rung, day(RUNGS[rung - 1]))
    assert standing.is_due == (status != "early")
    assert standing.open
    assert standing.missed == ()


@pytest.mark.parametrize(("n", "rung"), [(6, 3), (13, 4), (26, 5), (29, 5)])
def test_after_a_missed_rung_the_open_one_is_due_at_once_and_keeps_its_date(n: int, rung: int) -> None:
    standing = at(n)
    assert (standing.status, standing.rung, standing.due) == ("due", rung, day(RUNGS[rung - 1]))
    assert standing.is_due
    assert standing.missed == tuple(range(1, rung))


def test_a_rung_that_was_missed_earlier_presses_no_more_once_a_later_one_is_taken() -> None:
    standing = at(13, (6, 3, 1.0))
    assert standing.missed == (1, 2)
    assert standing.status == "early"


@pytest.mark.parametrize(("on", "rung"), [(1, 1), (2, 1), (5, 2), (12, 3), (13, 4)])
@pytest.mark.parametrize("score", [1.0, 0.0])
def test_a_taken_rung_shows_the_next_one_with_its_date(on: int, rung: int, score: float) -> None:
    standing = at(on, (on, rung, score))
    assert (standing.status, standing.rung, standing.due) == ("upcoming", rung + 1, day(RUNGS[rung]))
    assert not standing.is_due
    assert not standing.open


def test_the_dates_never_move_with_late_early_or_failed_reviews() -> None:
    late = at(13, (2, 1, 0.0), (5, 2, 0.2), (6, 3, 1.0))
    assert late.due == day(14)


def test_a_passed_fifth_rung_graduates() -> None:
    for n in (26, 31, 500):
        standing = at(n, (26, 5, 0.8))
        assert standing.status == "graduated"
        assert not standing.is_due
        assert not standing.open
        assert standing.missed == (1, 2, 3, 4)


def test_a_failed_fifth_rung_comes_back_after_fourteen_days_until_it_passes() -> None:
    failed = (33, 5, 0.6)
    waiting = at(46, failed)
    assert (waiting.status, waiting.rung, waiting.due, waiting.is_due, waiting.open) == (
        "extension",
        5,
        day(47),
        False,
        False,
    )
    due = at(47, failed)
    assert (due.status, due.due, due.is_due, due.open) == ("extension", day(47), True, True)
    assert at(80, failed).is_due
    again = (50, EXTENSION, 0.0)
    assert (at(63, failed, again).due, at(63, failed, again).is_due) == (day(64), False)
    assert at(64, failed, again).is_due
    done = at(64, failed, again, (64, EXTENSION, 1.0))
    assert (done.status, done.due, done.is_due) == ("graduated", day(64), False)


@pytest.mark.parametrize(
    ("scores", "offered"),
    [((0.0,), False), ((0.0, 0.0), True), ((0.0, 1.0), False), ((0.0, 0.0, 0.8), False), ((1.0, 0.79, 0.5), True)],
)
def test_two_failed_rungs_running_offer_a_restart(scores: tuple[float, ...], offered: bool) -> None:
    taken = [(WINDOWS[number], number + 1, score) for number, score in enumerate(scores)]
    assert at(20, *taken).offer_restart is offered


def test_failed_rungs_with_a_missed_one_between_them_are_running() -> None:
    assert at(13, (1, 1, 0.0), (6, 3, 0.0)).offer_restart


def test_a_failed_extension_counts_for_the_offer() -> None:
    assert at(45, (30, 5, 0.0), (44, EXTENSION, 0.0)).offer_restart


def test_a_pause_hides_and_moves_nothing() -> None:
    shown, hidden = at(7), at(7, paused=True)
    assert hidden.status == "paused"
    assert not hidden.is_due
    assert (hidden.rung, hidden.due, hidden.open, hidden.missed) == (shown.rung, shown.due, shown.open, shown.missed)


def test_four_of_five_pass_in_spite_of_rounding() -> None:
    assert Taken(1, DAY_0, (1 + 1 + 0.4) / 3).passed
    assert not Taken(1, DAY_0, 0.79).passed


def test_a_lesson_that_was_never_completed_has_no_place() -> None:
    with pytest.raises(ValueError, match="norms is not completed"):
        place(LessonHistory("norms"), DAY_0)


def test_what_place_calls_open_is_what_a_review_takes() -> None:
    taken: list[Taken] = []
    for n in range(100):
        rung = rung_to_take(DAY_0, taken, day(n))
        standing = at(n, *((int((each.day - DAY_0).days), each.rung, each.score) for each in taken))
        assert standing.open == (rung is not None)
        if rung is not None and n % 5 == 0:
            taken.append(Taken(rung, day(n), 0.0))
    assert len(taken) > 4


def test_a_ladder_at_the_end_of_time_has_dates() -> None:
    last = date(9998, 12, 31)
    assert place(LessonHistory("norms", last, 1), last).due == last + timedelta(days=1)
    failed = Review("", "norms", last, 0.0, (), 5, practice=False)
    assert place(LessonHistory("norms", last - timedelta(days=40), 1, (failed,)), last).status == "extension"
