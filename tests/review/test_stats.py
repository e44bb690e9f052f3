"""What the reviews add up to."""

from made_log import COURSE, ITEMS, complete, day, event, review

from grader.records.event import Event
from grader.review.history import Reviews, fold_reviews
from grader.review.ladder import EXTENSION
from grader.review.stats import ConceptScore, Flagged, Retention, flagged, retention, weakest_concepts

FAILED = ITEMS[:2]


def reviews_of(*parts: Event | list[Event]) -> Reviews:
    events = [each for part in parts for each in (part if isinstance(part, list) else [part])]
    return fold_reviews(events, COURSE)


def test_retention_has_a_row_a_rung_and_one_for_the_repeats() -> None:
    rows = retention(reviews_of(), day(0))
    assert [each.rung for each in rows] == [1, 2, 3, 4, 5, EXTENSION]
    assert rows[0] == Retention(1, 0, 0, None, 0)
    assert (rows[0].share, rows[0].days, rows[-1].days) == (None, 1, None)


def test_a_rung_counts_over_all_lessons() -> None:
    reviews = reviews_of(
        complete(0, "norms"), complete(0, "heads"), review(1, missed=FAILED), review(2, lesson="heads")
    )
    first = retention(reviews, day(2))[0]
    assert (first.taken, first.passed, first.share, first.score) == (2, 1, 0.5, 0.8)


def test_a_rung_that_nobody_took_is_missed_once_its_window_has_closed() -> None:
    assert [each.missed for each in retention(reviews_of(complete()), day(2))] == [0] * 6
    assert [each.missed for each in retention(reviews_of(complete()), day(6))] == [1, 1, 0, 0, 0, 0]


def test_practice_takes_no_rung() -> None:
    reviews = reviews_of(complete(), review(1, practice=True), review(1), review(2, missed=FAILED))
    assert [each.taken for each in retention(reviews, day(2))] == [1, 0, 0, 0, 0, 0]


def test_reviews_of_an_earlier_cycle_count_too() -> None:
    reviews = reviews_of(complete(), review(1), event("restart", 40, lesson="norms"), review(41, missed=FAILED))
    first = retention(reviews, day(41))[0]
    assert (first.taken, first.passed) == (2, 1)


def test_repeats_of_the_fifth_rung_stand_by_themselves() -> None:
    reviews = reviews_of(complete(), review(30, missed=FAILED), review(44))
    fifth, repeats = retention(reviews, day(44))[-2:]
    assert (fifth.taken, fifth.passed, repeats.taken, repeats.passed) == (1, 0, 1, 1)


def test_the_weakest_concept_is_the_one_with_the_fewest_right_first_answers() -> None:
    concepts = {"one": ["scale", "mean"], "two": ["mean"], "three": ["scale"]}
    reviews = reviews_of(complete(), review(1, missed=["one"]), review(3, missed=["one", "two"]))
    assert weakest_concepts(reviews, concepts) == (ConceptScore("mean", 4, 1), ConceptScore("scale", 4, 2))


def test_a_concept_that_was_hardly_asked_or_always_right_is_not_called_weak() -> None:
    reviews = reviews_of(complete(), review(1, missed=["one"]), review(3, missed=["one"]), review(7))
    assert weakest_concepts(reviews, {"two": ["always-right"]}) == ()
    assert weakest_concepts(reviews_of(complete(), review(1, missed=["one"])), {"one": ["asked-once"]}) == ()


def test_practice_shows_what_is_weak_as_well() -> None:
    reviews = reviews_of(*(review(n, missed=["one"], practice=True) for n in range(3)))
    assert weakest_concepts(reviews, {"one": ["scale"]}) == (ConceptScore("scale", 3, 0),)


def test_only_so_many_are_named() -> None:
    concepts = {item: [f"about-{item}"] for item in ITEMS}
    reviews = reviews_of(complete(), *(review(n, missed=ITEMS) for n in (1, 3, 7)))
    assert [each.concept for each in weakest_concepts(reviews, concepts, most=2)] == ["about-five", "about-four"]


def test_an_item_missed_in_three_reviews_is_flagged_with_its_lesson() -> None:
    reviews = reviews_of(complete(), *(review(n, missed=["four"]) for n in (1, 3)))
    assert flagged(reviews) == ()
    reviews = reviews_of(complete(), *(review(n, missed=["four"]) for n in (1, 3, 7)))
    assert flagged(reviews) == (Flagged("norms", "four", 3),)
