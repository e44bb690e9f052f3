"""What the gradebook holds, on SQLite and on PostgreSQL."""

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from gradebook.conftest import OPEN
from gradebook.made import NOON, PARTS, StopsAfter, cohort, pair, state
from nightly import NIGHTLY
from sqlalchemy import func, select

from grader.errors import UserError
from grader.gradebook.assignment import Assignment
from grader.gradebook.book import Gradebook
from grader.gradebook.late import LatePolicy
from grader.gradebook.schema import gradings, ledger

Opened = Callable[..., Gradebook]

DUE = NOON
WEEK = "week-1"
LATE = dataclasses.replace(OPEN, due=DUE, zone="Europe/Zurich", late=LatePolicy(Decimal(10)))
DAY = timedelta(days=1)


def told(book: Gradebook, student: str = "ada") -> list[tuple[str, str, str | None, str | None]]:
    """The history without times and numbers, and without how the assignment came to be."""
    return [
        (change.kind, change.says, change.before and str(change.before), change.after and str(change.after))
        for change in book.history(WEEK, student)
        if not change.says.startswith("the assignment was made")
    ]


def rows(book: Gradebook) -> tuple[int, int]:
    """How many rows there are of gradings and of the ledger."""
    with book._database.reading() as connection:
        one, two = (
            connection.execute(select(func.count()).select_from(table)).scalar() for table in (gradings, ledger)
        )
    return one or 0, two or 0


def test_a_report_comes_back_whole(book: Gradebook) -> None:
    entry, report = pair()
    assert book.record(WEEK, [(entry, report)]) == 1
    standing = book.standing(WEEK, "ada")
    assert standing.report == report
    assert (standing.student, standing.final, standing.possible) == (entry.student, Decimal("11.00"), 14)
    assert list(book.standings(WEEK)) == [standing]


def test_the_same_pairs_again_change_nothing(book: Gradebook) -> None:
    pairs = [*cohort(5), pair(), pair(earned=9, version="2"), pair(), pair(earned=9, version="2")]
    assert book.record(WEEK, pairs) == 7
    before = rows(book), state(book, WEEK)
    assert book.record(WEEK, pairs) == 0
    assert book.record(WEEK, pairs[-1:]) == 0
    assert (rows(book), state(book, WEEK)) == before


def test_standings_come_in_the_order_of_ids(book: Gradebook, opened: Opened) -> None:
    ids = ["b", "A", "a", "B", "é", "e", "z", "_", "\U0001f600", "ﬀ", "10", "9"]
    book.record(WEEK, [pair(id_) for id_ in ids])
    assert [standing.student.id for standing in opened(chunk=4).standings(WEEK)] == sorted(ids)


def test_what_was_handed_in_last_counts_and_the_history_says_why(book: Gradebook) -> None:
    book.record(WEEK, [pair()])
    book.record(WEEK, [pair(earned=9, version="2")])
    book.record(WEEK, [pair()])
    assert book.standing(WEEK, "ada").final == 11
    assert told(book) == [
        ("standing", "first grading", None, "11.00"),
        ("standing", "handed in again", "11.00", "13.00"),
        ("standing", "an earlier submission counts again", "13.00", "11.00"),
    ]


REASONS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"parts": PARTS | {"the suite of first": "2"}}, "the suite of first changed"),
    ({"parts": {"the suite of first": "1", "a": "", "b": "", "c": ""}}, "a, b, c and 1 more changed"),
    ({"seed": "2"}, "another seed"),
    ({"asked": "first"}, "other exercises or options"),
    ({"seed": "2", "version": "2"}, "handed in again; another seed"),
    ({"submitted": NOON}, "another time of handing in"),
    ({"late": True}, "another time of handing in"),
    ({"name": "Ada L."}, "another name or address"),
)


def test_the_reason_is_what_is_different(book: Gradebook) -> None:
    for number, (change, _) in enumerate(REASONS):
        book.record(WEEK, [pair(f"s{number}"), pair(f"s{number}", 8, **change)])
    assert [told(book, f"s{number}")[-1][1] for number in range(len(REASONS))] == [why for _, why in REASONS]


def test_a_whole_journal_again_adds_only_what_is_new(book: Gradebook) -> None:
    a, b, c = pair(), pair(earned=8, version="2"), pair(earned=9, version="3")
    book.record(WEEK, [a, b])
    assert book.record(WEEK, [a, b, c]) == 1
    assert [line[1] for line in told(book)] == ["first grading", "handed in again", "handed in again"]


def test_what_does_not_count_is_kept(book: Gradebook) -> None:
    book.record(WEEK, [pair()])
    assert book.record(WEEK, [pair(earned=2, seed="old")], current=False) == 1
    assert book.standing(WEEK, "ada").final == 11
    assert told(book)[-1] == ("graded", "graded, not for what counts", "11.00", "11.00")


def test_a_fault_of_the_graders_own_takes_nobodys_points(book: Gradebook) -> None:
    book.record(WEEK, [pair()])
    book.record(WEEK, [pair(earned=0, seed="2", fault=True)])
    assert book.standing(WEEK, "ada").final == 11
    assert told(book)[-1][1] == "graded with a fault of the grader's own, which does not count"
    book.record(WEEK, [pair("bob", 0, fault=True)])
    assert book.standing(WEEK, "bob").report.fault
    book.record(WEEK, [pair("bob", 10)])
    assert told(book, "bob")[-1] == ("standing", "the grader's own fault is mended", "4.00", "14.00")
    assert book.record(WEEK, [pair("bob", 0, fault=True), pair("bob", 10)]) == 0


def test_late_points_are_taken_off_and_an_extension_gives_them_back(book: Gradebook) -> None:
    book.put(LATE)
    book.record(WEEK, [pair(submitted=DUE + DAY)])
    assert book.standing(WEEK, "ada").late.share == Decimal("0.1")
    assert book.standing(WEEK, "ada").final == Decimal("9.90")
    number = book.extend(WEEK, "ada", DUE + 2 * DAY, "ill", "Prof. Ö")
    assert book.standing(WEEK, "ada").final == 11
    book.withdraw(number, "was not ill", "Prof. Ö")
    assert told(book)[1:] == [
        ("standing", "first grading", None, "9.90"),
        ("extension", "extended until 2026-03-03 13:00 (+01:00 Europe/Zurich)", "9.90", "11.00"),
        ("withdrawal", f"number {number} withdrawn", "11.00", "9.90"),
    ]
    assert [change.withdrawn for change in book.history(WEEK, "ada")] == [False, False, False, True, False]


def test_the_extension_that_was_given_last_counts_also_before_handing_in(book: Gradebook) -> None:
    book.put(LATE)
    book.extend(WEEK, "ada", DUE + 3 * DAY, "ill", "P")
    book.extend(WEEK, "ada", DUE + DAY, "not so ill", "P")
    book.record(WEEK, [pair(submitted=DUE + 2 * DAY)])
    assert book.standing(WEEK, "ada").late.seconds == 86400


def test_overrides_are_final_for_the_whole_and_earned_for_an_exercise(book: Gradebook) -> None:
    book.put(LATE)
    book.record(WEEK, [pair(submitted=DUE + DAY), pair("bob")])
    first = book.override(WEEK, "ada", "first.double", Decimal("9.5"), "a typo", "P")
    assert book.standing(WEEK, "ada").final == Decimal("12.15")  # (9.5 + 4) less a tenth
    whole = book.override(WEEK, "ada", None, Decimal("13.37"), "oral exam", "Q")
    assert book.standing(WEEK, "ada").final == Decimal("13.37")
    given = book.standing(WEEK, "ada").overrides
    assert [(each.exercise, each.points, each.reason, each.by) for each in given] == [
        ("first.double", Decimal("9.5"), "a typo", "P"),
        (None, Decimal("13.37"), "oral exam", "Q"),
    ]
    assert book.standing(WEEK, "bob").overrides == ()
    book.withdraw(whole, "wrong student", "Q")
    book.withdraw(first, "wrong student", "Q")
    assert book.standing(WEEK, "ada").final == Decimal("9.90")


def test_an_assignment_that_changes_is_in_the_history(book: Gradebook) -> None:
    book.record(WEEK, [pair(submitted=DUE + DAY)])
    assert book.put(LATE, "as announced", "P")
    assert not book.put(LATE)
    change = book.history(WEEK, "ada")[-1]
    assert (change.reason, change.who, change.before, change.after) == (
        "as announced",
        "P",
        Decimal(11),
        Decimal("9.90"),
    )
    assert change.says == (
        "the assignment changed: due whenever -> 2026-03-01 13:00 (+01:00 Europe/Zurich); "
        "late: nothing is taken away -> 10 % of the earned points for each begun day"
    )
    assert book.assignments() == (LATE,)


def test_assignments_do_not_touch_each_other(book: Gradebook) -> None:
    other = Assignment("week-2", "Second", ("second",))
    book.put(other)
    book.record(WEEK, [pair()])
    book.record("week-2", [pair(earned=3)])
    book.override(WEEK, "ada", None, Decimal(1), "r", "P")
    assert (book.standing(WEEK, "ada").final, book.standing("week-2", "ada").final) == (1, 7)
    assert [each.id for each in book.assignments()] == [WEEK, "week-2"]


REFUSED: tuple[tuple[Callable[[Gradebook], object], str], ...] = (
    (lambda book: book.extend(WEEK, "ada", DUE, "r", "P"), "is no extension: week-1 is due"),
    (lambda book: book.extend(WEEK, "ada", DUE + DAY, " ", "P"), "A decision needs a reason"),
    (lambda book: book.extend(WEEK, "ada", DUE + DAY, "r", ""), "A decision needs a name"),
    (lambda book: book.override(WEEK, "ada", None, Decimal("-1"), "r", "P"), "-1 are no points"),
    (lambda book: book.override(WEEK, "ada", None, Decimal("NaN"), "r", "P"), "NaN are no points"),
    (
        lambda book: book.override(WEEK, "ada", None, Decimal("1e30"), "r", "P"),
        "are too many. Write a number from 0 to 1000000",
    ),
    (lambda book: book.override(WEEK, "ada", None, Decimal("1.005"), "r", "P"), "at most two decimals"),
    (lambda book: book.override(WEEK, "adda", None, Decimal(1), "r", "P"), "Did you mean 'ada'"),
    (lambda book: book.standing(WEEK, "x\x00y"), r"a student 'x\\x00y' was graded"),
    (lambda book: book.history(WEEK, "nobody"), "lists all ids"),
    (lambda book: book.withdraw(1, "r", "P"), "Number 1 is no decision on one student"),
    (lambda book: book.withdraw(99, "r", "P"), "Number 99 is no decision"),
    (lambda book: book.record("week-9", []), "There is no assignment 'week-9' in the gradebook .* There are: week-1"),
    (lambda book: list(book.standings("\x00\ud800")), "There is no assignment"),
)


def test_what_cannot_be_is_refused_and_nothing_is_written(book: Gradebook) -> None:
    book.put(LATE)
    book.record(WEEK, [pair()])
    before = rows(book)
    for act, says in REFUSED:
        with pytest.raises(UserError, match=says):
            act(book)
    assert rows(book) == before


def test_nothing_is_withdrawn_twice(book: Gradebook) -> None:
    book.record(WEEK, [pair()])
    number = book.override(WEEK, "ada", None, Decimal(1), "r", "P")
    assert book.withdraw(number, "r", "P").says == "'ada' in week-1: the whole assignment set to 1.00 points"
    with pytest.raises(UserError, match="withdrawn already"):
        book.withdraw(number, "r", "P")


def test_without_a_due_time_there_is_nothing_to_extend(book: Gradebook) -> None:
    with pytest.raises(UserError, match="week-1 has no due time"):
        book.extend(WEEK, "ada", DUE, "r", "P")


HOSTILE = [
    "x\x00y",
    "x\\u0000y",
    "\ud800",
    "\\",
    "",
    "=cmd()",
    "a\nb\x1b[2J",
    "\u00e9",
    "e\u0301",
    "n" * 5000,
    "\U0001f600" * 200,
]


def test_every_id_and_name_comes_back_as_it_was(book: Gradebook) -> None:
    book.put(LATE)
    book.record(WEEK, [pair(id_, i, name=f"N {id_}") for i, id_ in enumerate(HOSTILE)])
    found = {standing.student.id: standing for standing in book.standings(WEEK)}
    assert set(found) == set(HOSTILE)
    for i, id_ in enumerate(HOSTILE):
        assert book.standing(WEEK, id_) == found[id_]
        assert (found[id_].student.name, found[id_].report.exercises[0].earned) == (f"N {id_}", i)
    book.override(WEEK, "x\x00y", "first.\x00", Decimal(2), "why \x00 \ud800 \\u0000", "\ud800")
    (given,) = book.standing(WEEK, "x\x00y").overrides
    assert (given.exercise, given.reason, given.by) == ("first.\x00", "why \x00 \ud800 \\u0000", "\ud800")


def test_times_come_back_in_utc_whatever_they_were(opened: Opened) -> None:
    book = opened(now=lambda: datetime.fromisoformat("2026-03-01T23:30:00.123456-11:00"))
    book.put(OPEN)
    submitted = datetime.fromisoformat("2026-03-29T02:30:00+13:00")
    book.record(WEEK, [pair(submitted=submitted)])
    at = book.history(WEEK, "ada")[-1].at
    assert (at, at.tzinfo) == (datetime(2026, 3, 2, 10, 30, 0, 123456, tzinfo=UTC), UTC)
    assert book.standing(WEEK, "ada").submitted == submitted


@pytest.mark.parametrize("at", [0, 1, 15, 26])
def test_what_was_interrupted_is_completed(opened: Opened, at: int) -> None:
    book = opened(chunk=10)
    pairs = cohort(25)
    pairs[12:12] = [pair("s0003", 9, version="2"), pair("s0020", 9, version="0")]
    for name in (WEEK, "whole"):
        book.put(dataclasses.replace(OPEN, id=name))
    book.record("whole", pairs)
    with pytest.raises(KeyboardInterrupt):
        book.record(WEEK, StopsAfter(pairs, at, KeyboardInterrupt()))
    opened().record(WEEK, pairs)
    assert list(book.standings(WEEK)) == list(book.standings("whole"))
    assert [line[1] for line in told(book, "s0003")] == ["first grading", "handed in again"]
    assert book.record(WEEK, pairs) == 0


def test_a_run_that_ends_at_any_statement_is_completed(
    opened: Opened, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = opened(chunk=2)
    step = 4 if "://" in place and not NIGHTLY else 1
    pairs = [pair(), pair("bob"), pair(earned=8, version="2")]
    dialect = type(book._database.engine.dialect)
    execute = dialect.do_execute
    countdown = 0

    def counted(*arguments: Any, **options: Any) -> None:
        nonlocal countdown
        countdown -= 1
        if countdown == 0:
            raise KeyboardInterrupt
        execute(*arguments, **options)

    monkeypatch.setattr(dialect, "do_execute", counted)
    ended, number = False, 0
    while not ended:
        number += step
        name = f"try-{number}"
        book.put(dataclasses.replace(OPEN, id=name))
        countdown = number
        try:
            book.record(name, pairs)
            ended = True
        except KeyboardInterrupt:
            pass
        countdown = 0
        book.record(name, pairs)
        assert [(standing.student.id, standing.final) for standing in book.standings(name)] == [
            ("ada", 12),
            ("bob", 11),
        ]
        assert [change.says for change in book.history(name, "ada")[1:]] == ["first grading", "handed in again"]
    assert number > 20
