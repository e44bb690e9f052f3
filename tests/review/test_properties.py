"""What holds of every history: no order, repetition or merging matters, undo is exact, and nothing due gets lost."""

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_log import COURSE, ITEMS, answered, began, day, event, norms, review, void

from grader.records.event import Event, from_line, to_line
from grader.records.fold import fold
from grader.review.history import fold_reviews
from grader.review.ladder import EXTENSION, place

LESSONS = ("norms", "heads")
KINDS = ("grading", "hint", "complete", "restart", "pause", "resume", "setting", "session", "answer")


def made_history(seed: int, deeds: int = 12) -> list[Event]:
    """Some weeks of a learner with two devices: whole and broken-off reviews, double clicks, gradings, voids."""
    chance = random.Random(seed)
    events: list[Event] = []
    for _ in range(deeds):
        n = chance.randint(-2, 50) + chance.random() / 4
        lesson, device = chance.choice(LESSONS), chance.choice(("laptop", "desk"))
        kind = chance.choice((*KINDS, "review", "review", "review", "void"))
        if kind == "review":
            missed = chance.sample(ITEMS, chance.randint(0, 3))
            session, *answers = review(n, missed, lesson, practice=chance.random() < 0.2, device=device)
            kept = answers[: chance.choice((2, 5, 5, 5))]
            again = [answered(session, chance.choice(ITEMS), chance.random(), attempt=chance.randint(1, 2))]
            events += [session, *kept, *again[: chance.randint(0, 1)]]
        elif kind == "void":
            events += [void(chance.choice(events), n, device)] if events else []
        else:
            events.append(made_event(kind, n, lesson, device, chance, events))
    return events


def made_event(
    kind: str, n: float, lesson: str, device: str, chance: random.Random, events: Sequence[Event] = ()
) -> Event:
    """An event of a kind; an answer is one to a session among the events, if there is one."""
    sessions = [each for each in events if each.type == "session"]
    if kind == "session":
        return began(n, lesson, chance.sample(ITEMS, 2), device=device)
    if kind == "answer":
        session = chance.choice(sessions) if sessions else began(n, lesson)
        return answered(session, chance.choice(ITEMS), chance.choice((0.0, 0.5, 1.0)), attempt=chance.randint(1, 2))
    payload: dict[str, Any] = {"lesson": lesson}
    if kind == "grading":
        result = {"status": chance.choice(("passed", "failed")), "earned": 1, "possible": 2, "misconception": "x"}
        payload = {"exercises": dict.fromkeys(("norms.a", "norms.b", "heads.c"), result)}
    elif kind == "hint":
        payload = {"exercise": "norms.a", "number": chance.randint(1, 3)}
    elif kind == "setting":
        payload = {"name": "rollover_hour", "value": chance.randint(0, 6)}
    return event(kind, n, device, **payload)


seeds = st.integers(0, 2**32)
histories = seeds.map(made_history)
property_of_histories = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])


@property_of_histories
@given(histories, st.randoms(use_true_random=False))
def test_no_order_changes_anything(events: list[Event], chance: random.Random) -> None:
    shuffled = chance.sample(events, len(events))
    assert fold_reviews(shuffled, COURSE) == fold_reviews(events, COURSE)
    assert fold(shuffled, COURSE) == fold(events, COURSE)


@property_of_histories
@given(histories, st.randoms(use_true_random=False))
def test_files_that_overlap_are_one_history(events: list[Event], chance: random.Random) -> None:
    mine = [each for each in events if chance.random() < 0.7]
    copied = [from_line(to_line(each)) for each in events if each not in mine or chance.random() < 0.5]
    assert fold_reviews([*copied, *mine], COURSE) == fold_reviews(events, COURSE)
    assert fold([*mine, *copied, *mine], COURSE) == fold(events, COURSE)


@settings(property_of_histories, max_examples=200)
@given(histories, st.sampled_from(KINDS), st.integers(-5, 60), seeds)
def test_an_event_that_is_undone_was_never_there(events: list[Event], kind: str, n: int, seed: int) -> None:
    chance = random.Random(seed)
    deed = made_event(kind, n + chance.random() / 4, chance.choice(LESSONS), "phone", chance, events)
    undone = [*events, deed, void(deed, n + chance.randint(-3, 30))]
    chance.shuffle(undone)
    assert fold_reviews(undone, COURSE) == fold_reviews(events, COURSE)
    assert fold(undone, COURSE) == fold(events, COURSE)


@property_of_histories
@given(histories, st.integers(0, 50), st.sampled_from(LESSONS), seeds)
def test_a_review_that_is_undone_was_never_there_with_all_its_answers(
    events: list[Event], n: int, lesson: str, seed: int
) -> None:
    chance = random.Random(seed)
    whole = review(n, chance.sample(ITEMS, 2), lesson, device="phone")
    undone = [*events, *whole, void(whole[0], 60)]
    chance.shuffle(undone)
    assert fold_reviews(undone, COURSE) == fold_reviews(events, COURSE)


@property_of_histories
@given(histories, st.data())
def test_undoing_something_older_is_leaving_it_out(events: list[Event], data: st.DataObject) -> None:
    deeds = [each for each in events if each.type not in ("void", "session")]
    if deeds:
        deed = data.draw(st.sampled_from(deeds))
        rest = [each for each in events if each is not deed]
        assert fold_reviews([*events, void(deed, 90)], COURSE) == fold_reviews(rest, COURSE)
        assert fold([*events, void(deed, 90)], COURSE) == fold(rest, COURSE)


@property_of_histories
@given(histories)
def test_a_ladder_has_each_rung_once_and_in_order(events: list[Event]) -> None:
    for history in fold_reviews(events, COURSE).lessons.values():
        taken = [each.rung for each in history.reviews if each.rung is not None]
        rungs = [rung for rung in taken if rung != EXTENSION]
        assert rungs == sorted(set(rungs))
        assert taken == [*rungs, *[EXTENSION] * (len(taken) - len(rungs))]
        assert set(history.reviews) <= set(history.all_reviews)


visits = st.lists(st.tuples(st.booleans(), st.integers(0, len(ITEMS))), min_size=60, max_size=60)


@settings(deadline=None, max_examples=25)
@given(visits, st.integers(0, 59))
def test_nothing_due_ever_vanishes_and_one_review_clears_it(visits: list[tuple[bool, int]], away: int) -> None:
    events = [event("complete", 0, lesson="norms")]
    was_due = False
    for n, (comes, misses) in enumerate(visits):
        standing = place(norms(events), day(n))
        if was_due:
            assert standing.is_due, f"what was due on day {n - 1} is gone"
        was_due = standing.is_due
        if comes and not away < n < away + 20:
            events += review(n, ITEMS[:misses])
            after = place(norms(events), day(n))
            assert not after.is_due
            assert not after.open
            assert len(after.taken) == len(standing.taken) + standing.open
            was_due = False
        assert standing.open or not standing.is_due


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(0, 200), max_size=12), st.integers(0, 200))
def test_due_dates_are_those_promised_on_the_day_of_completion(days: list[int], n: int) -> None:
    events = [event("complete", 0, lesson="norms")]
    for each in sorted(days):
        events += review(each)
    promised = {day(1), day(3), day(7), day(14), day(30)}
    assert place(norms(events), day(n)).due in promised
