"""What people decide of students: of whom nothing was graded, when they handed in, and what is said of it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from gradebook.conftest import OPEN
from gradebook.made import NOON, pair
from sqlalchemy import select

from grader.batch.handed_in import Student
from grader.batch.naming import file_names
from grader.errors import UserError
from grader.export.comment import comment
from grader.gradebook.book import Gradebook
from grader.gradebook.late import LatePolicy
from grader.gradebook.schema import ledger

WEEK = OPEN.id
LATE = replace(OPEN, due=NOON, late=LatePolicy(Decimal(10), cut_off=5))
DAY = timedelta(days=1)
ASKED = (("first.double", 10), ("first.shared", 4))


@pytest.fixture
def asked(opened: Callable[..., Gradebook]) -> Gradebook:
    """A gradebook that knows what its assignment asks for."""
    made = opened(asks=lambda assignment: ASKED)
    made.put(LATE)
    return made


def test_ids_of_any_length_are_whole_everywhere(asked: Gradebook) -> None:
    long = ["n" * 1000, "n" * 999 + "m", "\x00" * 335, "\\" * 400 + "x", "e" * 600]
    asked.record(WEEK, [pair(id_) for id_ in long[:4]])
    asked.extend(WEEK, long[4], NOON + DAY, "r", "P")
    assert sorted(asked.students(WEEK)) == sorted(long)
    names = file_names(asked.students(WEEK))
    assert len({names[standing.student.id] for standing in asked.standings(WEEK)}) == 4
    for id_ in long:
        number = asked.extend(WEEK, id_, NOON + 2 * DAY, "r", "P")
        said = asked.withdraw(number, "r", "P").says
        assert len(said) < 500
        assert asked.history(WEEK, id_)[-1].kind == "withdrawal"
    with pytest.raises(UserError) as caught:
        asked.history(WEEK, "q" * 5000)
    assert len(str(caught.value)) < 300


def test_points_may_be_given_where_nothing_was_graded(asked: Gradebook) -> None:
    with pytest.raises(UserError, match="give --name too"):
        asked.override(WEEK, "eve", None, Decimal(9), "oral exam", "P")
    number = asked.override(WEEK, "eve", None, Decimal(9), "oral exam", "P", "Eve E")
    asked.record(WEEK, [pair()])
    assert [standing.student.id for standing in asked.standings(WEEK)] == ["ada", "eve"]
    eve = asked.standing(WEEK, "eve")
    assert (eve.student, eve.final, eve.possible) == (Student("eve", "Eve E"), 9, 14)
    assert {each.status for each in eve.report.exercises} == {"not_started"}
    asked.override(WEEK, "eve", "first.double", Decimal(2), "r", "P")  # known by now
    assert [(change.before, change.after) for change in asked.history(WEEK, "eve")][1:] == [(None, 9), (9, 9)]
    assert asked.withdraw(number, "was eva", "P").says == "'eve' in week-1: the whole assignment set to 9.00 points"
    assert asked.standing(WEEK, "eve").final == 2
    asked.withdraw(number + 3, "r", "P")
    assert [standing.student.id for standing in asked.standings(WEEK)] == ["ada"]
    with pytest.raises(UserError, match="Leave the name out"):
        asked.override(WEEK, "ada", None, Decimal(9), "r", "P", "Ada")


def test_points_by_hand_stay_when_something_is_handed_in(asked: Gradebook) -> None:
    number = asked.override(WEEK, "eve", None, Decimal(0), "nothing handed in", "P", "Eve E")
    asked.record(WEEK, [pair("eve", name="Eve of the platform", submitted=NOON)])
    eve = asked.standing(WEEK, "eve")
    assert (eve.final, eve.student.name, eve.report.earned) == (0, "Eve of the platform", 11)
    asked.withdraw(number, "handed in", "P")
    assert asked.standing(WEEK, "eve").final == 11


def test_a_time_set_by_hand_resolves_a_mark_and_is_that_of_one_submission(asked: Gradebook) -> None:
    asked.record(WEEK, [pair(late=True)])
    assert asked.standing(WEEK, "ada").late.seconds is None
    number = asked.submitted(WEEK, "ada", NOON + DAY, "by e-mail", "P")
    ada = asked.standing(WEEK, "ada")
    assert (ada.final, ada.submitted, ada.late.seconds) == (Decimal("9.90"), NOON + DAY, 86400)
    assert asked.history(WEEK, "ada")[-1].says == "handed in 2026-03-02 12:00 (+00:00 UTC), by hand"
    asked.record(WEEK, [pair(late=True, seed="2")])  # the same submission, graded anew
    assert asked.standing(WEEK, "ada").late.seconds == 86400
    asked.record(WEEK, [pair(late=True, seed="2", version="2")])
    assert asked.standing(WEEK, "ada").late.seconds is None
    asked.record(WEEK, [pair(late=True)])
    assert asked.standing(WEEK, "ada").late.seconds == 86400
    asked.withdraw(number, "r", "P")
    assert asked.standing(WEEK, "ada").final == 11
    with pytest.raises(UserError, match="Did you mean 'ada'"):
        asked.submitted(WEEK, "adda", NOON, "r", "P")


def test_where_all_was_set_by_hand_nothing_is_said_to_be_taken_away(asked: Gradebook) -> None:
    asked.record(WEEK, [pair(submitted=NOON + 2 * DAY), pair("cy", late=True)])
    for student in ("ada", "cy"):
        asked.override(WEEK, student, None, Decimal(100), "oral exam", "P")
        standing = asked.standing(WEEK, student)
        assert (standing.late.share, standing.late.says, standing.final) == (0, "", 100)
        said = comment(standing)
        assert "100 points, where 14 are possible." in said
        assert "taken away" not in said
    assert asked.standing(WEEK, "ada").late.seconds == 2 * 86400


def test_a_comment_does_not_find_fault_with_points_set_by_hand(asked: Gradebook) -> None:
    asked.record(WEEK, [pair(submitted=NOON)])
    assert "first.double: 7 of 10" in comment(asked.standing(WEEK, "ada"))
    asked.override(WEEK, "ada", "first.double", Decimal(10), "ours", "P")
    said = comment(asked.standing(WEEK, "ada"))
    assert "first.double set by hand by P: 10." in said
    assert "first.double: 7" not in said
    assert "By the tests alone, 1 of 2 exercises passed." in said


def test_nothing_that_was_decided_is_written_over(asked: Gradebook) -> None:
    asked.record(WEEK, [pair()])
    numbers = [asked.submitted(WEEK, "ada", NOON, "r", "P"), asked.submitted(WEEK, "ada", NOON + DAY, "r", "P")]
    asked.withdraw(numbers[1], "r", "P")
    with asked._database.reading() as connection:
        kept = connection.execute(select(ledger.c.number).where(ledger.c.kind == "submitted")).scalars().all()
    assert (kept, asked.standing(WEEK, "ada").submitted) == (numbers, NOON)
