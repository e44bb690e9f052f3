"""What has gone wrong elsewhere, each by its name."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from made_log import COURSE, ITEMS, NOON, answered, began, complete, day, event, norms, review, void
from made_questions import options

from grader.records.event import Event, new_event
from grader.records.exchange import import_
from grader.records.fold import fold
from grader.records.log import Log
from grader.review.history import LessonHistory, fold_reviews
from grader.review.ladder import place
from grader.review.questions.draw import draw
from grader.review.questions.marking import key, mark
from grader.review.questions.model import Mark, Question
from grader.review.questions.oracle import Oracle
from grader.review.today import today

BERLIN, TOKYO, AUCKLAND, HONOLULU = map(
    ZoneInfo, ("Europe/Berlin", "Asia/Tokyo", "Pacific/Auckland", "Pacific/Honolulu")
)


def log_review(log: Log, now: datetime, missed: tuple[str, ...] = ()) -> LessonHistory:
    """A whole review as a command would log it at that time."""
    reviews = fold_reviews(log.read().events, COURSE)
    standing = today(now, reviews)
    made = review(0, missed)
    session = log.append(
        "session",
        dict(made[0].payload) | {"practice": standing.practice_only},
        now,
        reviews.rollover_hour,
        standing.day,
    )
    for number, each in enumerate(made[1:], start=1):
        at = now + timedelta(seconds=number)
        log.append("answer", dict(each.payload) | {"session": session.id}, at, reviews.rollover_hour, standing.day)
    return norms(list(log.read().events))


def log_complete(log: Log, now: datetime) -> None:
    log.append("complete", {"lesson": "norms"}, now)


@pytest.fixture
def log(home: Path) -> Log:
    return Log(home)


def test_reviews_between_midnight_and_rollover(log: Log) -> None:
    log_complete(log, datetime(2026, 3, 2, 1, 30, tzinfo=BERLIN))
    assert norms(list(log.read().events)).anchor == date(2026, 3, 1)
    night = log_review(log, datetime(2026, 3, 3, 0, 30, tzinfo=BERLIN))
    assert [(each.day, each.rung) for each in night.reviews] == [(date(2026, 3, 2), 1)]
    morning = log_review(log, datetime(2026, 3, 3, 9, 0, tzinfo=BERLIN))
    assert [(each.day, each.rung) for each in morning.reviews] == [(date(2026, 3, 2), 1), (date(2026, 3, 3), None)]


def test_a_session_that_runs_into_the_rollover_is_broken_off(log: Log) -> None:
    log_complete(log, datetime(2026, 3, 1, 12, tzinfo=BERLIN))
    history = log_review(log, datetime(2026, 3, 3, 3, 59, 57, tzinfo=BERLIN))
    assert history.reviews == ()
    assert place(history, date(2026, 3, 3)).is_due


@pytest.mark.parametrize("change", ["2026-03-29", "2026-10-25"])
def test_the_day_after_a_change_of_clocks(log: Log, change: str) -> None:
    completed = datetime.fromisoformat(f"{change}T02:30:00").replace(tzinfo=BERLIN) - timedelta(hours=12)
    log_complete(log, completed)
    anchor = date.fromisoformat(change) - timedelta(days=1)
    before = datetime.fromisoformat(f"{change}T03:30:00").replace(tzinfo=BERLIN)
    assert log_review(log, before).reviews[-1].rung is None, "the night still belongs to the day of completion"
    first = log_review(log, before + timedelta(minutes=40))
    assert (first.reviews[-1].day, first.reviews[-1].rung) == (anchor + timedelta(days=1), 1)
    third = log_review(log, before + timedelta(days=2, minutes=40))
    assert (third.reviews[-1].day, third.reviews[-1].rung) == (anchor + timedelta(days=3), 2)


def test_a_log_made_in_one_zone_and_used_in_another(log: Log) -> None:
    log_complete(log, datetime(2026, 3, 1, 20, tzinfo=BERLIN))
    east = log_review(log, datetime(2026, 3, 3, 4, 30, tzinfo=TOKYO))
    assert [(each.day, each.rung) for each in east.reviews] == [(date(2026, 3, 3), 1)]
    events = log.read().events
    assert [each.offset_min for each in events[:2]] == [60, 540]
    assert norms(list(events)) == east, "where it is read does not matter"


def test_a_flight_across_the_date_line_does_not_step_back(log: Log) -> None:
    log_complete(log, datetime(2026, 3, 1, 12, tzinfo=AUCKLAND))
    there = log_review(log, datetime(2026, 3, 2, 10, tzinfo=AUCKLAND))
    assert there.reviews[-1].rung == 1
    landed = datetime(2026, 3, 1, 20, tzinfo=HONOLULU)
    assert landed > datetime(2026, 3, 2, 10, tzinfo=AUCKLAND)
    back = log_review(log, landed)
    assert (back.reviews[-1].day, back.reviews[-1].rung) == (date(2026, 3, 2), None)


@pytest.mark.parametrize("back", [timedelta(days=1), timedelta(hours=30), timedelta(hours=3), timedelta(minutes=6)])
def test_a_clock_that_is_set_back_a_day(log: Log, back: timedelta) -> None:
    log_complete(log, NOON)
    now = NOON + timedelta(days=3)
    failed = log_review(log, now, ITEMS)
    history = log_review(log, now - back)
    assert [(each.day, each.rung, each.practice) for each in history.reviews] == [
        (day(3), 2, False),
        (day(3), None, False),
    ]
    assert history.reviews[:1] == failed.reviews, "what came first stays first"
    assert history.pinned == ITEMS


def test_a_clock_that_is_set_back_in_the_middle_of_a_review(log: Log) -> None:
    log_complete(log, NOON)
    now = NOON + timedelta(days=1)
    session = log.append("session", began(1).payload, now)
    for number, item in enumerate(ITEMS):
        answer = dict(answered(session, item).payload)
        log.append("answer", answer, now - timedelta(seconds=9 * number), not_before=day(1))
        log.append("answer", answer | {"score": 0.0, "missed": True}, now - timedelta(hours=9), not_before=day(1))
    history = norms(list(log.read().events))
    assert [each.score for each in history.reviews] == [1.0], "the first of two clicks counts"
    assert list(log.read().events) == sorted(log.read().events, key=lambda each: each.order)


def test_a_clock_that_is_set_back_a_month(log: Log) -> None:
    log_complete(log, NOON)
    counted = log_review(log, NOON + timedelta(days=33))
    wrong = NOON + timedelta(days=2)
    assert today(wrong, fold_reviews(log.read().events, COURSE)).practice_only
    history = log_review(log, wrong)
    assert [(each.day, each.rung, each.practice) for each in history.reviews] == [
        (day(2), None, True),
        (day(33), 5, False),
    ]
    assert place(history, day(33)) == place(counted, day(33))
    assert today(NOON + timedelta(days=33), fold_reviews(log.read().events, COURSE)).warning is None


def test_a_clock_that_ran_ahead_is_healed_by_undoing_what_came_after(log: Log) -> None:
    log_complete(log, NOON)
    log_review(log, NOON + timedelta(days=400))
    now = NOON + timedelta(days=1)
    assert today(now, fold_reviews(log.read().events, COURSE)).practice_only
    for each in log.read().events:
        if each.study_day > day(1):
            log.append("void", {"event": each.id}, now)
    healed = fold_reviews(log.read().events, COURSE)
    assert not today(now, healed).practice_only
    assert log_review(log, now).reviews[-1].rung == 1


def test_undo_of_an_older_review() -> None:
    first, second, third = review(1, ["one"]), review(3, ["two"]), review(6)
    history = norms(complete(), first, second, third, void(second[0], 9))
    assert history == norms(complete(), first, third)
    assert [each.rung for each in history.reviews] == [1, 3]
    assert place(history, day(9)).missed == (2,)


def test_undo_of_the_review_that_took_a_rung_gives_it_to_the_next_one_in_the_window() -> None:
    first, second = review(3, ITEMS), review(4)
    assert norms(complete(), first, second).pinned == ITEMS
    undone = norms(complete(), first, second, void(first[0], 5))
    assert [(each.day, each.rung) for each in undone.reviews] == [(day(4), 2)]
    assert undone.pinned == ()


def test_the_same_rung_on_two_machines(log: Log, tmp_path: Path) -> None:
    other = Log(tmp_path / "other")
    log_complete(log, NOON)
    import_(other, [log.home])
    late = log_review(log, NOON + timedelta(days=3, hours=3), ("one", "two"))
    early = log_review(other, NOON + timedelta(days=3))
    assert [each.rung for each in late.reviews] == [each.rung for each in early.reviews] == [2]
    import_(log, [other.home])
    import_(other, [log.home])
    merged = norms(list(log.read().events))
    assert merged == norms(list(other.read().events))
    assert [(each.session, each.rung) for each in merged.reviews] == [
        (early.reviews[0].session, 2),
        (late.reviews[0].session, None),
    ]
    assert merged.pinned == (), "the review that did not count pins nothing"


def test_a_double_clicked_answer() -> None:
    session = began(1)
    answers: list[Event] = [answered(session, item) for item in ITEMS]
    again = replace(answered(session, "one", 0.0), at=answers[0].at + timedelta(milliseconds=80))
    for events in ([session, *answers, again], [again, *answers, session]):
        (only,) = norms(complete(), events).reviews
        assert only.score == 1.0
        assert len(only.items) == len(ITEMS)
    assert norms(complete(), session, answers, again, void(answers[0])).reviews[0].score == 0.8


def test_a_double_click_on_retries_is_one_retry() -> None:
    session = began(1)
    tries = [answered(session, "one", 0.0), *(answered(session, "one", score, attempt=2) for score in (0.5, 1.0))]
    opened = norms(complete(), session, tries).open_session
    assert opened is not None
    assert [(each.attempt, each.score) for each in opened.tries["one"]] == [(1, 0.0), (2, 0.5)]


def test_two_processes_that_write_at_once_to_one_session(log: Log) -> None:
    # That no write is lost or torn is tested in tests/records/test_writing.py; here, that both may review at once.
    log_complete(log, NOON)
    one, two = Log(log.home), Log(log.home)
    now = NOON + timedelta(days=1)
    session = one.append("session", began(1).payload, now)
    for number, item in enumerate(ITEMS):
        for writer, score in ((one, 1.0), (two, 0.0)):
            writer.append("answer", answered(session, item, score).payload, now + timedelta(seconds=number))
    (only,) = norms(list(log.read().events)).reviews
    assert (only.score, only.rung) == (1.0, 1), "of each try, what was written first"


def test_a_power_cut_in_the_middle_of_a_line(log: Log) -> None:
    log_complete(log, NOON)
    log_review(log, NOON + timedelta(days=1))
    (path,) = log.folder.glob("*.jsonl")
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    history = log.read()
    assert [damage.torn for damage in history.damage] == [True]
    broken_off = norms(list(history.events))
    assert broken_off.reviews == ()
    assert broken_off.open_session is not None
    assert sorted(broken_off.open_session.tries) == sorted(ITEMS[:-1])
    last = answered(began(1), ITEMS[-1])
    payload = dict(last.payload) | {"session": broken_off.open_session.id}
    log.append("answer", payload, NOON + timedelta(days=1, minutes=5))
    assert [each.rung for each in norms(list(log.read().events)).reviews] == [1]
    assert log.read().damage == ()


def test_options_that_are_shuffled_between_showing_and_marking() -> None:
    question = Question(
        id="norms-which",
        lesson="norms",
        version=1,
        kind="choice",
        concepts=(),
        prompt="Which?",
        explanation="That one.",
        answer="sum",
        options=options("sum", wrong=("mean", "root", "square")),
    )
    shown, shuffled = (draw(question, seed) for seed in ("5eed", "another"))
    assert shown.options != shuffled.options
    letter = "abcd"[[option.id for option in shown.options].index("sum")]
    given = mark(shown, key(shown, Oracle()), letter)
    assert isinstance(given, Mark)
    assert (given.right, given.given) == (True, "sum")
    # What is logged is the option, not its place: it stays right in any other order.
    again = mark(shuffled, key(shuffled, Oracle()), given.given)
    assert isinstance(again, Mark)
    assert again.right


def test_a_question_that_was_edited_after_it_was_answered() -> None:
    first = review(1, ["one"])
    session = began(3)
    items = [record | {"version": 2} for record in session.payload["items"]]
    session = replace(session, payload=dict(session.payload) | {"items": items})
    newer = [answered(session, item, version=2) for item in ITEMS[1:]]
    history = norms(complete(), first, session, newer)
    assert {item.version for item in history.reviews[0].items} == {1}
    assert history.reviews[0].score == 0.8
    assert history.pinned == ("one",), "a new version of a question is the same question"
    assert history.open_session is not None
    assert {each.version for tries in history.open_session.tries.values() for each in tries} == {2}
    assert first[1].payload["params"] == {"n": 3}
    assert first[1].payload["expected"] == 6


def test_an_answer_to_an_edited_question_in_an_open_session_keeps_its_version_and_numbers() -> None:
    session = began(1)
    opened = norms(complete(), session, answered(session, "one"), answered(session, "two", version=2)).open_session
    assert opened is not None
    assert [
        (tries[0].item, tries[0].version, tries[0].params, tries[0].expected) for tries in opened.tries.values()
    ] == [
        ("one", 1, {"n": 3}, 6),
        ("two", 2, {"n": 3}, 6),
    ]


def test_a_change_of_the_rollover_hour_dates_nothing_anew(log: Log) -> None:
    night = datetime(2026, 3, 2, 2, tzinfo=UTC)
    log_complete(log, night)
    log.append("setting", {"name": "rollover_hour", "value": 0}, night + timedelta(minutes=1))
    reviews = fold_reviews(log.read().events, COURSE)
    assert reviews.rollover_hour == 0
    assert reviews.lessons["norms"].anchor == date(2026, 3, 1)
    assert fold(log.read().events, COURSE).completed == {"norms": date(2026, 3, 1)}
    assert today(night + timedelta(minutes=2), reviews).day == date(2026, 3, 2)


def test_an_event_keeps_the_day_it_was_given_wherever_the_clock_goes() -> None:
    kept = new_event("hint", {}, datetime(2026, 3, 1, 23, tzinfo=HONOLULU), "laptop", 4, date(2026, 3, 2))
    assert kept.study_day == date(2026, 3, 2)
    assert fold_reviews([kept, event("hint", -3)], COURSE).last_day == date(2026, 3, 2)
