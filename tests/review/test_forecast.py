"""What lies ahead of a lesson, and on which days it asks for a session."""

from datetime import date

from made_log import COURSE, ITEMS, complete, day, event, review

from grader.records.event import Event
from grader.review.forecast import Coming, coming, forecast, record, told
from grader.review.history import Reviews, fold_reviews

FAILED = ITEMS[:2]


def reviews_of(*parts: Event | list[Event]) -> Reviews:
    events = [each for part in parts for each in (part if isinstance(part, list) else [part])]
    return fold_reviews(events, COURSE)


def ahead(today: date, *parts: Event | list[Event]) -> list[tuple[str, date, date]]:
    return [(each.name, each.due, each.asks) for each in coming(reviews_of(*parts), today)]


def test_all_five_rungs_lie_ahead_of_a_lesson_that_was_completed_today() -> None:
    assert ahead(day(0), complete()) == [
        (f"rung {number} of 5", day(n), day(n)) for number, n in enumerate((1, 3, 7, 14, 30), 1)
    ]


def test_a_rung_that_was_taken_is_behind() -> None:
    assert [name for name, _, _ in ahead(day(3), complete(), review(1), review(3))] == [
        "rung 3 of 5",
        "rung 4 of 5",
        "rung 5 of 5",
    ]


def test_a_rung_that_was_missed_is_behind_and_the_open_one_asks_at_once() -> None:
    assert ahead(day(6), complete()) == [
        ("rung 3 of 5", day(7), day(6)),
        ("rung 4 of 5", day(14), day(14)),
        ("rung 5 of 5", day(30), day(30)),
    ]


def test_a_rung_that_is_overdue_keeps_its_date_and_asks_today() -> None:
    assert ahead(day(5), complete(), review(1))[0] == ("rung 2 of 5", day(3), day(5))


def test_a_failed_fifth_rung_has_a_repeat_ahead_and_a_failed_repeat_another() -> None:
    failed = [complete(), review(30, missed=FAILED)]
    assert ahead(day(31), *failed) == [("repeat of rung 5", day(44), day(44))]
    again = coming(reviews_of(*failed, review(44, missed=FAILED)), day(44))
    assert [(each.extension, each.due) for each in again] == [(2, day(58))]


def test_nothing_lies_ahead_of_a_lesson_that_is_graduated_paused_or_not_completed() -> None:
    assert ahead(day(31), complete(), review(30)) == []
    assert ahead(day(1), complete(), event("pause", 0.5, lesson="norms")) == []
    assert ahead(day(0)) == []


def test_a_restart_puts_five_new_rungs_ahead() -> None:
    again = coming(reviews_of(complete(), event("restart", 40, lesson="norms")), day(40))
    assert [(each.cycle, each.rung, each.due) for each in again][:2] == [(2, 1, day(41)), (2, 2, day(43))]


def test_a_forecast_has_the_days_that_ask_for_something_today_and_the_last_one_included() -> None:
    reviews = reviews_of(complete(0, "norms"), complete(2, "heads"))
    assert [(each.day, [c.lesson for c in each.coming]) for each in forecast(reviews, day(3), 4)] == [
        (day(3), ["norms", "heads"]),
        (day(5), ["heads"]),
        (day(7), ["norms"]),
    ]


def test_a_forecast_can_be_of_some_lessons_alone() -> None:
    reviews = reviews_of(complete(0, "norms"), complete(2, "heads"))
    assert {c.lesson for each in forecast(reviews, day(3), 30, ["heads"]) for c in each.coming} == {"heads"}


def test_what_was_due_long_ago_is_asked_for_once_and_today() -> None:
    days = forecast(reviews_of(complete()), day(100), 30)
    assert days[0].coming == (Coming("norms", 1, 5, 0, day(30), day(100)),)
    assert len(days) == 1


def test_a_forecast_in_words_has_a_line_a_day() -> None:
    reviews = reviews_of(complete(0, "norms"), complete(2, "heads"))
    assert told(forecast(reviews, day(2), 5), day(2)) == (
        "Tue 2026-03-03  today     norms (rung 1 of 5)\n"
        "Wed 2026-03-04  tomorrow  norms (rung 2 of 5), heads (rung 1 of 5)\n"
        "Fri 2026-03-06            heads (rung 2 of 5)\n"
        "Sun 2026-03-08            norms (rung 3 of 5)"
    )
    assert told((), day(2)) == "No review falls into these days."


def test_a_forecast_as_a_record() -> None:
    assert record(forecast(reviews_of(complete()), day(1), 1), day(1)) == {
        "version": 1,
        "today": "2026-03-02",
        "days": [
            {
                "date": "2026-03-02",
                "lessons": [{"lesson": "norms", "rung": 1, "extension": False, "due": "2026-03-02"}],
            }
        ],
    }


def test_a_forecast_reaches_as_far_as_the_calendar_itself() -> None:
    assert forecast(reviews_of(complete()), date(9998, 12, 31), 366)
