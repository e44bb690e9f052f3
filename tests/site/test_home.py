"""The home page, from events: what is next, due today and tomorrow, and how far one has come."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from made_log import NOON, complete, event, graded, review, void

from grader.course.load import load_course
from grader.course.model import duration
from grader.records.event import Event
from grader.review.questions.load import load_quiz
from grader.site.home import home_page
from grader.site.home_state import HomeState, home_state

COURSE = load_course()
FIRST = COURSE.exercises[0]


def verdicts(day: float, **found: str) -> Event:
    """Functions of the real course are graded: `objective_softmax="passed"`; a pass has all points, the rest one."""
    exercises = {}
    for name, status in found.items():
        exercise = COURSE.exercise(name.replace("_", ".", 1))
        earned = exercise.points if status == "passed" else 1
        exercises[exercise.id] = {"status": status, "earned": earned, "possible": exercise.points}
    return event("grading", day, seed=1, exercises=exercises)


def session(day: float, lesson: str, missed: Sequence[int] = ()) -> list[Event]:
    """A review of the lesson's first eight questions, some of them missed."""
    asked = [question.id for question in load_quiz(COURSE.lesson(lesson))][:8]
    return review(day, [asked[place] for place in missed], lesson, asked)


def state(*events: Event | list[Event], now: datetime = NOON) -> HomeState:
    flat = [each for part in events for each in (part if isinstance(part, list) else [part])]
    return home_state(COURSE, flat, now)


def text(page: str) -> str:
    """What a page says between its tags, in one line."""
    body = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def test_without_a_learner_it_says_where_to_begin_and_shows_every_lesson_in_its_order() -> None:
    page = home_page(COURSE)
    said = text(page)
    assert said.index(f"Start here: lesson 1, {COURSE.lessons[0].title}") < said.index("The course 11 lessons")
    places = [page.index(f'id="lesson-{lesson.slug}"') for lesson in COURSE.lessons]
    assert places == sorted(places)
    for exercise in COURSE.exercises:
        assert f'href="{exercise.lesson}.html#{exercise.section}"' in page


def test_without_a_learner_it_says_nothing_of_anybody() -> None:
    page = home_page(COURSE)
    assert "Where you stand" not in page
    assert "<script>" not in page


def test_a_beginner_is_told_to_begin_with_the_first_function() -> None:
    said = text(home_page(COURSE, state()))
    assert f"Next Write {FIRST.name} in student/{FIRST.lesson}.py ; saving grades it." in said
    assert "Start here" in said
    assert "Today Nothing is due for review. Tomorrow Nothing is due for review." in said
    assert f"0 of {len(COURSE.exercises)} functions passed" in said


def test_who_has_begun_is_not_told_to_begin() -> None:
    said = text(home_page(COURSE, state(verdicts(0, objective_embed="partial"))))
    assert "Start here" not in said
    assert "objective. embed is not right yet: mend it in student/objective.py" in said
    assert "anatomy hint objective.embed" in said


def test_when_every_hint_was_taken_none_is_offered() -> None:
    hints = [event("hint", 0, exercise=FIRST.id, number=n) for n in range(1, len(FIRST.hints) + 1)]
    assert "A hint:" not in text(home_page(COURSE, state(verdicts(0, objective_embed="partial"), hints)))


def test_when_all_is_passed_nothing_is_left_to_write() -> None:
    there = state(verdicts(0, **{each.id.replace(".", "_", 1): "passed" for each in COURSE.exercises}))
    said = text(home_page(COURSE, there))
    assert "Nothing is left to write: every exercise has passed." in said
    assert f"{COURSE.points} of {COURSE.points} points" in said
    assert [each.share for each in there.lessons] == [1.0] * len(COURSE.lessons)


def test_what_is_due_today_and_tomorrow_is_said_in_full() -> None:
    events = [complete(-3, "normalization"), *session(-2, "normalization"), complete(0, "heads")]
    said = text(home_page(COURSE, state(events)))
    assert "Today Normalization (rung 2 of 5) is due Tomorrow Heads (rung 1 of 5) After that, Wed 2026-03-04" in said


def test_what_is_overdue_says_since_when() -> None:
    said = text(home_page(COURSE, state(complete(-5, "heads"), session(-4, "heads"))))
    assert "Heads (rung 2 of 5) is due since Fri 2026-02-27" in said


def test_the_day_ends_at_the_hour_that_the_learner_has_set() -> None:
    done = complete(0, "heads")
    before_four = NOON + timedelta(hours=15, minutes=59)
    assert state(done, now=before_four).due == ()
    assert [each.lesson for each in state(done, now=before_four + timedelta(minutes=1)).due] == ["heads"]
    later = event("setting", 0, name="rollover_hour", value=6)
    assert state(done, later, now=before_four + timedelta(minutes=1)).due == ()


def test_a_clock_behind_the_log_is_told() -> None:
    late = state(complete(9, "heads"))
    assert late.today.practice_only
    assert "The clock says 2026-03-01, but your log has already reached 2026-03-10" in text(home_page(COURSE, late))


def test_a_paused_lesson_asks_for_nothing() -> None:
    paused = state(complete(-1, "heads"), event("pause", -0.5, lesson="heads"))
    assert (paused.due, paused.agenda) == ((), ())
    assert "paused (rung 1 of 5 falls on today); anatomy pause heads --end" in text(home_page(COURSE, paused))


def test_the_calendar_shows_each_rung_on_its_day() -> None:
    found = {
        day.day.isoformat(): [each.name for each in day.coming]
        for month in state(complete(0, "heads")).months
        for week in month.weeks
        for day in week
        if day and day.coming
    }
    assert found == {
        "2026-03-02": ["rung 1 of 5"],
        "2026-03-04": ["rung 2 of 5"],
        "2026-03-08": ["rung 3 of 5"],
        "2026-03-15": ["rung 4 of 5"],
        "2026-03-31": ["rung 5 of 5"],
    }


def test_what_keeps_being_missed_and_what_is_weak_leads_to_where_it_is_taught() -> None:
    there = state(complete(-8, "normalization"), *(session(day, "normalization", [0]) for day in (-7, -5, -1)))
    [flagged] = there.returning
    assert (flagged.told, flagged.lesson) == ("missed in 3 reviews", "normalization")
    assert flagged.exercise in COURSE.lesson("normalization").exercises
    assert there.weak
    assert {each.exercise.lesson for each in there.weak} == {"normalization"}
    page = home_page(COURSE, there)
    assert f'href="normalization.html#{flagged.exercise.section}">{flagged.what}</a>: missed in 3 reviews' in page


def test_what_was_undone_never_was() -> None:
    grading = verdicts(0, objective_embed="passed")
    there = state(grading, void(grading))
    assert (there.passed, there.study.active) == (0, ())


def test_the_order_of_the_events_changes_nothing() -> None:
    events = [complete(-3, "heads"), *session(-2, "heads", [1]), verdicts(-1, objective_embed="partial")]
    assert home_page(COURSE, state(events)) == home_page(COURSE, state(events[::-1]))


def test_events_of_another_course_are_passed_over() -> None:
    said = text(home_page(COURSE, state(graded(0, norms_a="passed"), complete(0, "<b>norms</b>"))))
    assert f"0 of {len(COURSE.exercises)} functions passed" in said


def test_a_lesson_cannot_inject_markup() -> None:
    hostile_lesson = replace(COURSE.lessons[0], title="<b>Tokens</b>", summary='"><script>alert(1)</script>')
    hostile = replace(COURSE, lessons=(hostile_lesson, *COURSE.lessons[1:]))
    for page in (home_page(hostile), home_page(hostile, home_state(hostile, [complete(0, "objective")], NOON))):
        assert "<b>Tokens" not in page
        assert "<script>alert" not in page


@pytest.mark.parametrize(("minutes", "told"), [(45, "45 min"), (120, "2 h"), (115, "1 h 55 min")])
def test_minutes_read_as_people_say_them(minutes: int, told: str) -> None:
    assert duration(minutes) == told
