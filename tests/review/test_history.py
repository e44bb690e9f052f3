"""Which sessions become reviews, which rungs they take, and what is remembered of each item."""

from dataclasses import replace
from typing import Any

import pytest
from made_log import COURSE, ITEMS, answered, began, complete, day, event, graded, norms, review, void

from grader.records.event import Event
from grader.review.history import LessonHistory, Review, fold_reviews
from grader.review.ladder import EXTENSION, place


def rungs(history: LessonHistory) -> list[int | None]:
    return [each.rung for each in history.reviews]


def test_nothing_is_known_of_an_empty_log() -> None:
    reviews = fold_reviews([], COURSE)
    assert reviews.lessons == {slug: LessonHistory(slug) for slug in ("norms", "heads", "lab")}
    assert (reviews.last_day, reviews.learner, reviews.rollover_hour, reviews.named) == (None, None, 4, {})


def test_the_anchor_is_the_day_on_which_every_exercise_had_passed() -> None:
    history = norms(graded(0, norms_a="passed"), graded(2, norms_b="passed"), graded(5, norms_b="passed"))
    assert (history.anchor, history.cycle) == (day(2), 1)


def test_a_lesson_may_be_declared_complete_also_one_without_exercises() -> None:
    reviews = fold_reviews([complete(1), complete(3, "lab"), complete(4, "gone"), graded(9, norms_a="failed")], COURSE)
    assert reviews.lessons["norms"].anchor == day(1)
    assert reviews.lessons["lab"].anchor == day(3)


def test_completing_again_never_moves_the_anchor() -> None:
    assert norms(complete(3), complete(1), complete(7)).anchor == day(1)


def test_a_review_has_the_mean_of_the_first_tries() -> None:
    session = began(1)
    events: list[Event] = [answered(session, item, score) for item, score in zip(ITEMS, (1, 0, 0.5, 1, 1), strict=True)]
    events += [answered(session, "two", 0, attempt=2), answered(session, "two", 1, attempt=3)]
    (only,) = norms(complete(), session, events).reviews
    assert only.score == 0.7
    assert [(each.item, each.score, each.missed) for each in only.items] == [
        ("one", 1, False),
        ("two", 0, True),
        ("three", 0.5, True),
        ("four", 1, False),
        ("five", 1, False),
    ]
    assert only == Review(session.id, "norms", day(1), 0.7, only.items, 1, practice=False)


def test_the_first_review_in_a_window_takes_the_rung_and_others_do_not() -> None:
    history = norms(complete(), review(0), review(1), review(2), review(3), review(30), review(31))
    assert rungs(history) == [None, 1, None, 2, 5, None]


def test_practice_takes_no_rung_and_leaves_it_to_others() -> None:
    history = norms(complete(), review(1, practice=True), review(1.1))
    assert [(each.rung, each.practice) for each in history.reviews] == [(None, True), (1, False)]


def test_reviews_of_a_lesson_that_is_not_complete_are_practice() -> None:
    history = norms(review(1), review(3))
    assert (history.anchor, history.cycle, rungs(history)) == (None, 0, [None, None])


def test_extensions_are_taken_from_their_date_on() -> None:
    history = norms(complete(), review(30, ITEMS), review(43), review(44, ITEMS), review(57), review(60), review(90))
    assert rungs(history) == [5, None, EXTENSION, None, EXTENSION, None]
    assert place(history, day(90)).status == "graduated"


def test_a_session_that_was_broken_off_does_not_count_and_can_be_gone_on_with() -> None:
    session = began(1)
    history = norms(complete(), session, [answered(session, item) for item in ITEMS[:4]])
    assert history.reviews == ()
    assert history.open_session is not None
    assert history.open_session.id == session.id
    assert history.open_session.day == day(1)
    assert [each.item for each in history.open_session.items] == list(ITEMS)
    assert list(history.open_session.tries) == ["one", "two", "three", "four"]
    assert place(history, day(2)).is_due


def test_a_session_that_ends_on_another_study_day_does_not_count() -> None:
    session = began(1)
    answers = [answered(session, item) for item in ITEMS[:4]]
    history = norms(complete(), session, answers, answered(session, "five", n=1))
    assert history.reviews == ()
    assert history.open_session is None
    assert history.asked["five"][0] == day(2)


def test_the_last_first_try_takes_the_rung_not_a_repetition_after_it() -> None:
    session = began(1)
    answers = [answered(session, item) for item in ITEMS]
    history = norms(complete(), session, answers, answered(session, "one", attempt=2, n=1))
    assert rungs(history) == [1]


def test_tries_are_in_order_and_hold_what_was_asked() -> None:
    session = began(1)
    second, first = answered(session, "one", attempt=2), answered(session, "one", 0)
    opened = norms(complete(), session, second, first).open_session
    assert opened is not None
    (one, two) = opened.tries["one"]
    assert (one.event, one.attempt, one.score, one.missed) == (first.id, 1, 0.0, True)
    assert (two.event, two.attempt, two.score, two.missed) == (second.id, 2, 1.0, False)
    assert (one.version, one.seed, one.params, one.expected, one.given) == (1, "5eed", {"n": 3}, 6, "7")
    assert (one.day, one.at) == (day(1), first.at)


def test_the_newest_of_several_open_sessions_is_offered() -> None:
    older, newer = began(1), began(1.1)
    opened = norms(complete(), newer, older).open_session
    assert opened is not None
    assert opened.id == newer.id


def test_practice_that_was_broken_off_does_not_hide_a_review_that_was() -> None:
    reviewing, practising = began(1), began(1.1, practice=True)
    history = norms(complete(), reviewing, practising)
    assert history.open_session is not None
    assert history.open_practice is not None
    assert (history.open_session.id, history.open_practice.id) == (reviewing.id, practising.id)


def test_an_older_day_offers_no_open_session() -> None:
    assert norms(complete(), began(1), review(2)).open_session is None


def test_an_item_that_is_listed_twice_is_asked_once() -> None:
    session = began(1, items=("one", "one", "two"))
    history = norms(complete(), session, answered(session, "one"), answered(session, "two", 0))
    assert [each.score for each in history.reviews] == [0.5]


def test_a_restart_opens_a_new_cycle_on_its_own_day() -> None:
    events = [complete(), *review(1, ITEMS), *review(3, ITEMS), event("restart", 4, lesson="norms"), *review(5)]
    history = norms(events)
    assert (history.anchor, history.cycle, rungs(history)) == (day(4), 2, [1])
    assert [each.rung for each in history.all_reviews] == [1, 2, 1]
    assert history.pinned == ()
    assert place(history, day(5)).cycle == 2


def test_a_new_cycle_begins_without_pins() -> None:
    assert norms(complete(), review(1, ITEMS), event("restart", 4, lesson="norms")).pinned == ()


def test_of_two_sessions_at_once_the_one_that_ends_first_takes_the_rung() -> None:
    first, second = began(1), began(1.001)
    slow = [answered(first, item, n=0.1) for item in ITEMS]
    history = norms(complete(), first, second, [answered(second, item) for item in ITEMS], slow)
    assert [(each.session, each.rung) for each in history.reviews] == [(second.id, 1), (first.id, None)]


def test_a_restart_before_completion_is_ignored() -> None:
    assert norms(event("restart", 0, lesson="norms"), complete(1)).cycle == 1
    assert norms(event("restart", 0, lesson="norms")).anchor is None


def test_a_review_on_the_day_of_the_restart_belongs_to_the_cycle_of_its_moment() -> None:
    restart = event("restart", 3.1, lesson="norms")
    history = norms(complete(), review(3), restart, review(3.2), review(4))
    assert [each.rung for each in history.all_reviews] == [2, None, 1]
    assert rungs(history) == [None, 1]


def test_what_was_missed_is_pinned_until_it_is_right_in_a_review_that_counts() -> None:
    missed = [complete(), *review(1, ["four", "two"])]
    assert norms(missed).pinned == ("two", "four")
    assert norms(missed, review(1.2), review(3, practice=True)).pinned == ("two", "four")
    assert norms(missed, review(3, ["four", "one"])).pinned == ("four", "one")
    assert norms(missed, review(3, items=("one",))).pinned == ("two", "four")


def test_what_was_missed_in_practice_is_not_pinned() -> None:
    assert norms(complete(), review(1), review(2, ITEMS), review(3, ITEMS, practice=True)).pinned == ()


def test_an_item_missed_in_three_reviews_that_counted_is_flagged_in_every_cycle() -> None:
    twice = [complete(), *review(1, ["two"]), *review(3, ["two"]), *review(3.1, ["two"])]
    assert norms(twice).flagged == ()
    thrice = [*twice, *review(6, ["two", "one"])]
    assert norms(thrice).flagged == ("two",)
    assert norms(thrice, event("restart", 7, lesson="norms")).flagged == ("two",)


def test_asked_is_the_last_first_try_in_any_session() -> None:
    broken = began(2)
    last = answered(broken, "one", 0)
    history = norms(complete(), review(1), broken, last, answered(broken, "one", attempt=2))
    assert history.asked["one"] == (day(2), last.at, last.id)
    assert history.asked["two"][0] == day(1)


def test_asked_does_not_depend_on_when_the_session_began() -> None:
    older, newer = began(1), began(2)
    late = answered(older, "one", n=3)
    assert norms(older, newer, answered(newer, "one"), late).asked["one"] == (day(4), late.at, late.id)


def test_passes_are_the_days_on_which_an_item_was_right_in_a_review_that_counted() -> None:
    history = norms(complete(), review(0), review(1, ["two"]), review(2), review(3), review(6, practice=True))
    assert history.passes["one"] == (day(1), day(3))
    assert history.passes["two"] == (day(3),)


def test_pause_and_resume_take_turns() -> None:
    pause, resume = event("pause", 1, lesson="norms"), event("resume", 2, lesson="norms")
    assert norms(complete(), pause).paused
    assert not norms(complete(), pause, resume).paused
    assert norms(complete(), pause, resume, void(resume)).paused
    assert not fold_reviews([pause], COURSE).lessons["heads"].paused


@pytest.mark.parametrize("value", [7, -1, True, "5", None, 4.0])
def test_the_latest_rollover_that_can_be_one_counts(value: Any) -> None:
    def setting(n: float, value: Any, name: str = "rollover_hour") -> Event:
        return event("setting", n, name=name, value=value)

    settings = [setting(0, 2), setting(1, 6), setting(2, value), setting(3, 1, "colour")]
    assert fold_reviews(settings, COURSE).rollover_hour == 6


def test_the_learner_is_the_device_on_which_it_began() -> None:
    first = complete(0, device="desk")
    assert fold_reviews([complete(1), first], COURSE).learner == "desk"
    assert fold_reviews([complete(1), first, void(first, -1, device="phone")], COURSE).learner == "laptop"


def test_the_last_day_is_that_of_the_last_event_that_still_counts() -> None:
    late = event("hint", 400, exercise="norms.a", number=1)
    events = [complete(), *review(1), late]
    assert fold_reviews(events, COURSE).last_day == day(400)
    assert fold_reviews([*events, void(late, 500)], COURSE).last_day == day(1)
    assert fold_reviews([*events, void(late, 1), event("quarantine", 900, sha256="")], COURSE).last_day == day(1)


def test_a_misconception_is_dated_by_the_grading_that_named_it_last() -> None:
    events = [graded(n, misconception="norms.a.x", norms_a="failed") for n in (3, 1)]
    assert fold_reviews([*events, graded(5, norms_a="passed")], COURSE).named == {"norms.a.x": day(3)}


ITEM = {"item": "one", "version": 1, "seed": "", "why": "rotation"}


@pytest.mark.parametrize(
    "change",
    [
        {"lesson": None},
        {"practice": 0},
        {"items": []},
        {"items": "one"},
        {"items": ["one"]},
        {"items": [ITEM, {"item": "two"}]},
        {"items": [ITEM | {"version": "1"}]},
        {"items": [ITEM | {"item": ["one"]}]},
        {"items": [[0, 1]]},
    ],
)
def test_a_session_of_another_shape_is_none(change: dict[str, Any]) -> None:
    session = began(1, items=("one",))
    session = replace(session, payload=dict(session.payload) | change)
    history = norms(complete(), session, answered(began(1), "one"))
    assert (history.reviews, history.open_session, history.asked) == ((), None, {})


@pytest.mark.parametrize(
    "change",
    [
        {"session": ["x"]},
        {"session": "unknown"},
        {"item": None},
        {"item": "never asked"},
        {"try": 0},
        {"try": 1.0},
        {"score": True},
        {"score": 1.5},
        {"score": "1"},
        {"missed": 0},
        {"version": None},
    ],
)
def test_an_answer_of_another_shape_is_none(change: dict[str, Any]) -> None:
    session = began(1, items=("one",))
    answer = answered(session, "one")
    answer = replace(answer, payload=dict(answer.payload) | change)
    assert norms(complete(), session, answer).reviews == ()
    assert norms(complete(), session, answer).asked == {}


@pytest.mark.parametrize("kind", ["complete", "restart", "pause", "resume", "setting", "session", "answer", "void"])
@pytest.mark.parametrize(
    "payload", [{}, {"lesson": 7}, {"lesson": ["norms"]}, {"name": "rollover_hour"}, {"event": []}]
)
def test_any_event_of_another_shape_is_ignored(kind: str, payload: dict[str, Any]) -> None:
    reviews = fold_reviews([event(kind, **payload)], COURSE)
    assert reviews.lessons == fold_reviews([], COURSE).lessons
    assert reviews.rollover_hour == 4
