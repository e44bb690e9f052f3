"""The pictures of the home page as data: months, study days, and the drawing of what needs what."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

from made_log import DAY_0, answered, began, day, event

from grader.course.load import load_course
from grader.review.forecast import Coming, Day
from grader.site.months import months_ahead
from grader.site.needs import WIDTH, NeedsMap, needs_map
from grader.site.study_days import study_weeks

COURSE = load_course()


def asked(on: date) -> Day:
    return Day(on, (Coming("heads", 1, 5, 0, on, on),))


def drawn() -> NeedsMap:
    return needs_map([(lesson.slug, lesson.title, lesson.needs) for lesson in COURSE.lessons])


def test_there_are_this_month_and_the_next_even_when_nothing_lies_ahead() -> None:
    assert [month.name for month in months_ahead((), date(2026, 12, 31))] == ["December 2026", "January 2027"]


def test_a_rung_beyond_the_next_month_has_its_month_too() -> None:
    months = months_ahead((asked(date(2026, 3, 2)),), date(2026, 1, 31))
    assert [month.name for month in months] == ["January 2026", "February 2026", "March 2026"]


def test_weeks_begin_on_monday_and_hold_every_day_of_the_month_once() -> None:
    for month, last in zip(months_ahead((), DAY_0), (31, 30), strict=True):
        assert all(len(week) == 7 for week in month.weeks)
        days = [each.day for week in month.weeks for each in week if each]
        assert [each.day for each in days] == list(range(1, last + 1))
        assert all(each.day.weekday() == place for week in month.weeks for place, each in enumerate(week) if each)


def test_today_is_marked_and_what_lies_before_it() -> None:
    march, _ = months_ahead((), date(2026, 3, 10))
    days = [each for week in march.weeks for each in week if each]
    assert [each.day.day for each in days if each.is_today] == [10]
    assert [each.day.day for each in days if each.past] == list(range(1, 10))


def test_study_days_count_answers_and_gradings() -> None:
    session = began(-1)
    events = [session, answered(session, "one"), answered(session, "two"), event("grading", -1), event("hint", -1)]
    weeks = study_weeks(events, DAY_0)
    [active] = weeks.active
    assert (active.day, active.answers, active.gradings) == (day(-1), 2, 1)
    assert (weeks.answers, weeks.gradings, weeks.fullest) == (2, 1, active)


def test_the_last_week_ends_today_and_the_first_is_26_weeks_back() -> None:
    weeks = study_weeks([], date(2026, 3, 4)).weeks  # a Wednesday
    assert len(weeks) == 26
    assert [each and each.day.day for each in weeks[-1]] == [2, 3, 4, None, None, None, None]
    assert weeks[0][0].day == date(2026, 3, 2) - timedelta(weeks=25)


def test_what_lies_further_back_does_not_count() -> None:
    first = (study_weeks([], DAY_0).weeks[0][0].day - DAY_0).days
    assert study_weeks([event("grading", first)], DAY_0).gradings == 1
    assert study_weeks([event("grading", first - 1)], DAY_0).gradings == 0


def test_more_deeds_are_stronger() -> None:
    strengths = {}
    for count in (0, 1, 2, 3, 7, 8, 19, 20, 300):
        weeks = study_weeks([event("grading") for _ in range(count)], DAY_0)
        strengths[count] = weeks.weeks[-1][-1].strength
    assert strengths == {0: 0, 1: 1, 2: 1, 3: 2, 7: 2, 8: 3, 19: 3, 20: 4, 300: 4}


def test_names_of_months_never_lie_over_each_other() -> None:
    for offset in range(0, 400, 5):
        places = [place for place, _ in study_weeks([], DAY_0 + timedelta(days=offset)).month_names]
        assert all(later - earlier > 2 for earlier, later in pairwise(places))


def test_a_lesson_stands_below_all_that_it_needs() -> None:
    height = {box.slug: box.y for box in drawn().boxes}
    assert list(height) == [lesson.slug for lesson in COURSE.lessons]
    assert all(height[need] < height[lesson.slug] for lesson in COURSE.lessons for need in lesson.needs)


def test_boxes_do_not_lie_over_each_other() -> None:
    spans = sorted((box.y, box.x - box.width / 2, box.x + box.width / 2) for box in drawn().boxes)
    assert all(one[2] < other[1] for one, other in pairwise(spans) if one[0] == other[0])
    assert all(left >= 0 and right <= WIDTH for _, left, right in spans)


def test_a_line_that_follows_from_others_is_left_out() -> None:
    assert len(needs_map([("a", "A", ()), ("b", "B", ("a",)), ("c", "C", ("a", "b"))]).lines) == 2
