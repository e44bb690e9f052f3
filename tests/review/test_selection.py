"""Which items a session holds: what is pinned, own mistakes, then what was asked longest ago."""

from dataclasses import replace

from made_log import NOON, day

from grader.review.history import LessonHistory
from grader.review.selection import MISTAKE, MOST_MISTAKES, PINNED, ROTATION, SIZE, Item, Stock, choose

QUIZ = tuple(Item(f"norms-{number}", 1) for number in range(20))
STOCK = Stock(QUIZ)
NEW = LessonHistory("norms", anchor=day(0), cycle=1)


def asked_on(*days: int) -> dict[str, tuple]:
    """The quiz's first items were asked on these days."""
    return {item.id: (day(n), NOON, "id") for item, n in zip(QUIZ, days, strict=False)}


def ids(stock: Stock, history: LessonHistory = NEW, rung: int | None = 1, learner: str = "laptop") -> list[str]:
    return [asked.item for asked in choose(stock, history, learner, f"rung-{rung}", rung)]


def test_a_session_holds_eight_items_each_once():
    chosen = ids(STOCK)
    assert len(chosen) == len(set(chosen)) == SIZE == 8


def test_a_short_quiz_is_asked_as_a_whole():
    assert sorted(ids(Stock(QUIZ[:5]))) == sorted(item.id for item in QUIZ[:5])


def test_pinned_items_come_first_the_longest_pinned_before_the_others():
    history = replace(NEW, pinned=("norms-7", "norms-3"))
    assert ids(STOCK, history)[:2] == ["norms-7", "norms-3"]


def test_a_pinned_item_that_is_no_more_is_left_out():
    assert "norms-gone" not in ids(STOCK, replace(NEW, pinned=("norms-gone",)))


def test_more_pinned_items_than_a_session_holds_wait_for_the_next():
    pinned = tuple(item.id for item in QUIZ[:11])
    assert ids(STOCK, replace(NEW, pinned=pinned)) == list(pinned[:SIZE])


def test_own_mistakes_come_before_the_rest_of_the_quiz_and_leave_it_half():
    mistakes = tuple(Item(f"mistake/norms.a.{number}", 1) for number in range(6))
    chosen = choose(Stock(QUIZ, mistakes), replace(NEW, pinned=("norms-3",)), "laptop", "rung-1", 1)
    whys = [asked.why for asked in chosen]
    assert whys == [PINNED] + [MISTAKE] * MOST_MISTAKES + [ROTATION] * (SIZE - 1 - MOST_MISTAKES)


def test_what_was_never_asked_comes_before_what_was_asked_and_that_by_age():
    history = replace(NEW, asked=asked_on(*[5] * 4, *range(10, 24)))
    chosen = ids(STOCK, history)
    assert set(chosen[:2]) == {"norms-18", "norms-19"}
    assert set(chosen[2:6]) == {"norms-0", "norms-1", "norms-2", "norms-3"}
    assert chosen[6:] == ["norms-4", "norms-5"]


def test_every_item_is_asked_within_three_sessions_of_twenty():
    history, seen = NEW, set()
    for n in (1, 3, 7):
        chosen = ids(STOCK, history, rung=None)
        seen.update(chosen)
        history = replace(history, asked={**history.asked, **{item: (day(n), NOON, "id") for item in chosen}})
    assert seen == {item.id for item in QUIZ}


def test_an_item_for_some_rungs_is_asked_in_those_and_in_practice():
    late = Item("norms-late", 1, frozenset({4, 5}))
    stock = Stock((*QUIZ[:3], late))
    assert late.id not in ids(stock, rung=1)
    assert late.id in ids(stock, rung=4)
    assert late.id in ids(stock, rung=None)


def test_one_fault_to_be_found_has_the_last_place():
    faults = tuple(Item(f"fault/norms.a.{number}", 1) for number in range(30))
    chosen = ids(Stock(QUIZ, faults=faults))
    assert [item.startswith("fault/") for item in chosen] == [False] * (SIZE - 1) + [True]


def test_the_same_rung_asks_the_same_with_the_same_numbers_on_every_machine():
    assert choose(STOCK, NEW, "laptop", "rung-2", 2) == choose(Stock(QUIZ[::-1]), NEW, "laptop", "rung-2", 2)


def test_other_rungs_cycles_and_learners_get_other_numbers():
    pinned = replace(NEW, pinned=("norms-1",))
    first = choose(STOCK, pinned, "laptop", "rung-1", 1)[0]
    others = [
        choose(STOCK, pinned, "laptop", "rung-2", 2)[0],
        choose(STOCK, replace(pinned, cycle=2), "laptop", "rung-1", 1)[0],
        choose(STOCK, pinned, "desktop", "rung-1", 1)[0],
    ]
    assert {each.item for each in (first, *others)} == {"norms-1"}
    assert len({each.seed for each in (first, *others)}) == 4


def test_the_first_question_is_one_of_the_quiz_for_the_others_have_to_be_made():
    mistake = Item("mistake/norms.a.0", 1)
    history = replace(NEW, pinned=(mistake.id, "norms-3"))
    assert ids(Stock(QUIZ, (mistake,)), history)[:2] == ["norms-3", mistake.id]


def test_where_there_is_nothing_else_own_mistakes_are_asked():
    mistakes = tuple(Item(f"mistake/norms.a.{number}", 1) for number in range(2))
    assert sorted(ids(Stock((), mistakes))) == [item.id for item in mistakes]
