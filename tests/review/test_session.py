"""One session: first tries are scored, what was missed returns until it is right, and events tell where it stands."""

import pytest

from grader.review.questions.model import AskBack, Drawn, Key, Param, Question
from grader.review.session import UNKNOWN, ItemGone, Reply, Sitting, Tried, Turn
from grader.review.sessions import Asked

SIZES = Question(
    id="norms-sizes",
    lesson="norms",
    version=3,
    kind="shape",
    concepts=("axes",),
    prompt="Which shape has x of `({n}, 4)`?",
    explanation="It is what it says.",
    params=(Param("n", tuple(range(2, 60))),),
    answer="{n}, 4",
)
STEPS = Question(
    id="norms-steps",
    lesson="norms",
    version=1,
    kind="order",
    concepts=("axes",),
    prompt="Put into order.",
    explanation="So it is.",
    answer=(2, 1, 3),
)
RIGHT = {"norms-steps": "2 1 3"}
ASKED = tuple(Asked(item, 1, f"5eed{item}", "rotation") for item in ("norms-sizes", "norms-steps"))


class Questions:
    """Two questions without torch."""

    def question(self, item: str, seed: str) -> Question:
        return {question.id: question for question in (SIZES, STEPS)}[item]

    def key(self, drawn: Drawn) -> Key:
        from grader.review.questions.marking import key
        from grader.review.questions.oracle import Oracle

        return key(drawn, Oracle())


def sitting(*tried: Tried, asked: tuple[Asked, ...] = ASKED) -> Sitting:
    return Sitting("5e55", "norms", asked, tried, Questions())


def right(turn: Turn) -> str:
    return RIGHT.get(turn.asked.item) or f"{turn.drawn.params['n']}, 4"


def give(session: Sitting, answer: str | None = None) -> Reply:
    """Answer what is asked, rightly unless told otherwise."""
    turn = session.turn()
    reply = session.submit(turn, right(turn) if answer is None else answer)
    assert isinstance(reply, Reply)
    session.accept(turn, reply)
    return reply


def test_items_are_asked_in_their_order_and_then_it_is_done():
    session = sitting()
    places = []
    while turn := session.turn():
        places.append((turn.asked.item, turn.number, turn.of, turn.attempt))
        give(session)
    assert places == [("norms-sizes", 1, 2, 1), ("norms-steps", 2, 2, 1)]
    assert session.counted
    assert session.score == 1.0


def test_a_missed_item_returns_after_the_others_until_it_is_right():
    session = sitting()
    give(session, "7")
    give(session)
    assert session.counted
    assert session.left == 1
    assert session.turn().asked.item == "norms-sizes"
    assert not session.turn().scored
    give(session, "7")
    assert session.turn().asked.item == "norms-sizes"
    give(session)
    assert session.turn() is None


def test_the_score_is_the_mean_of_first_tries_whatever_comes_later():
    session = sitting()
    give(session, "7")
    give(session)
    give(session)
    assert session.score == 0.5


def test_two_missed_items_take_turns():
    session = sitting()
    for _ in range(4):
        give(session, UNKNOWN)
    assert session.turn().asked.item == "norms-sizes"
    assert session.turn().attempt == 3


def test_each_try_has_other_numbers_for_the_last_answer_was_just_told():
    session = sitting()
    first = session.turn().drawn.params
    give(session, UNKNOWN)
    give(session)
    assert session.turn().drawn.params != first


def test_what_cannot_be_read_uses_no_try():
    session = sitting()
    for unreadable in ("", "   ", "B, T, 2.5", "(2, 3", "x**999999999"):
        assert isinstance(session.submit(session.turn(), unreadable), AskBack), unreadable
    assert session.turn().attempt == 1
    assert session.first_tries == ()


def test_not_knowing_is_a_miss_and_is_recorded_as_that():
    reply = give(sitting(), UNKNOWN)
    assert reply.mark.missed
    assert (reply.record["given"], reply.record["score"]) == (UNKNOWN, 0.0)


def test_the_record_says_what_was_asked_with_which_numbers():
    session = sitting()
    turn = session.turn()
    record = give(session, "7").record
    assert record == {
        "session": "5e55",
        "lesson": "norms",
        "item": "norms-sizes",
        "version": 3,
        "try": 1,
        "seed": "5eednorms-sizes",
        "params": dict(turn.drawn.params),
        "expected": record["expected"],
        "given": "7",
        "score": 0.0,
        "missed": True,
    }
    assert str(turn.drawn.params["n"]) in record["expected"]


def test_an_answer_that_was_not_recorded_is_asked_again():
    session = sitting()
    turn = session.turn()
    session.submit(turn, "7")
    assert session.turn() == turn


@pytest.mark.parametrize("stop", range(7))
def test_a_session_that_was_broken_off_goes_on_where_it_was(stop):
    answers = ["7", UNKNOWN, None, "3 2 1", None, None]
    whole, tried = sitting(), []
    for answer in answers[:stop]:
        turn = whole.turn()
        if turn is None:
            break
        reply = give(whole, answer)
        tried.append(Tried(turn.asked.item, turn.attempt, reply.mark.score, reply.mark.missed))
    again = sitting(*reversed(tried))
    assert again.turn() == whole.turn()
    assert (again.score, again.counted, again.left) == (whole.score, whole.counted, whole.left)


def test_answers_to_items_of_another_session_say_nothing():
    assert sitting(Tried("heads-other", 1, 0.0, True)).first_tries == ()


def test_an_item_that_is_no_more_is_an_error_to_the_caller():
    with pytest.raises(ItemGone, match="norms-gone"):
        sitting(asked=(Asked("norms-gone", 1, "5eed", "pinned"),)).turn()
