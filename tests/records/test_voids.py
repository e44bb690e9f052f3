"""Undo: what still counts of a log."""

from dataclasses import replace

import pytest
from made_log import COURSE, answered, began, complete, event, graded, review, void

from grader.records.fold import Progress, fold
from grader.records.kinds import BOOKKEEPING
from grader.records.voids import live_events


def test_all_events_live_in_order_and_each_once() -> None:
    first, second = event("hint", 0), event("hint", 1)
    assert live_events([second, first, second]) == (first, second)


def test_what_was_undone_is_gone_and_so_is_the_undoing() -> None:
    first, second = event("hint", 0), event("hint", 1)
    assert live_events([first, void(second, 5), second]) == (first,)
    assert live_events([void(second, -5), second, first]) == (first,)


def test_undoing_twice_is_undoing() -> None:
    hint = event("hint")
    assert live_events([hint, void(hint), void(hint, 1)]) == ()


def test_an_undoing_cannot_be_undone() -> None:
    hint = event("hint")
    undoing = void(hint)
    assert live_events([hint, undoing, void(undoing, 1)]) == ()


def test_a_session_takes_its_answers_with_it() -> None:
    session, *answers = review(1)
    other = began(1)
    kept = answered(other, "one")
    assert live_events([session, *answers, other, kept, void(session)]) == (other, kept)


def test_an_answer_goes_alone() -> None:
    session = began(1)
    one, two = answered(session, "one"), answered(session, "two")
    assert live_events([session, one, two, void(one)]) == (session, two)


def test_undoing_what_nobody_knows_does_nothing() -> None:
    hint = event("hint")
    assert live_events([hint, event("void", event="unknown"), event("void", event=["x"]), event("void")]) == (hint,)


def test_of_two_events_with_one_id_the_same_is_taken_in_any_order() -> None:
    hint = event("hint", number=1)
    forged = replace(hint, payload={"number": 2})
    assert live_events([hint, forged]) == live_events([forged, hint]) == (hint,)


def test_a_grading_that_was_undone_is_no_progress() -> None:
    passed, failed = graded(0, heads_c="passed"), graded(1, heads_c="failed", misconception="heads.c.x")
    before = fold([passed], COURSE)
    assert fold([passed, failed, void(failed, 2)], COURSE) == before
    assert fold([passed, void(passed)], COURSE) == Progress({}, {})


def test_a_lesson_declared_complete_is_complete_and_its_exercises_are_as_they_were() -> None:
    declared = complete(3, "heads")
    assert fold([declared], COURSE) == Progress({}, {"heads": declared.study_day})
    assert fold([declared, void(declared)], COURSE) == Progress({}, {})
    assert fold([complete(3, "gone"), event("complete", lesson=["heads"])], COURSE) == Progress({}, {})


def test_the_earlier_of_a_declaration_and_the_exercises_counts() -> None:
    passed = graded(2, heads_c="passed")
    for n in (1, 3):
        declared = complete(n, "heads")
        assert fold([passed, declared], COURSE).completed == {"heads": min(passed.study_day, declared.study_day)}


def test_a_restart_leaves_the_exercises_alone() -> None:
    passed = graded(2, heads_c="passed")
    assert fold([passed, event("restart", 5, lesson="heads")], COURSE) == fold([passed], COURSE)


@pytest.mark.parametrize("kind", sorted(BOOKKEEPING))
def test_what_the_log_says_of_itself_is_no_progress(kind: str) -> None:
    assert fold([event(kind, lesson="heads", sha256="x")], COURSE) == Progress({}, {})
