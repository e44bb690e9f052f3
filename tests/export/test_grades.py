"""grades.csv and its long form."""

import csv
import io
from decimal import Decimal

import pytest
from export.made import EXERCISES, HOSTILE, by_hand, fault, late, report, standing

from grader.export import grades
from grader.export.cells import guarded, number, plain


def table(standings, **options) -> list[list[str]]:
    text = "".join(grades.lines(standings, EXERCISES, **options))
    return list(csv.reader(io.StringIO(text.encode("utf-8").decode("utf-8"), newline=""), strict=True))


def test_the_columns_are_student_earned_possible_and_one_for_each_exercise():
    assert table([standing("007", "Ada", (10, 4))]) == [
        ["student", "earned", "possible", *EXERCISES],
        ["007", "14", "20", "10", "4"],
    ]


def test_lateness_and_overrides_stand_in_the_long_form_only():
    one = late(standing("a", "Ada"), 90_000, "0.125")
    assert table([one])[1] == ["a", "14", "20", "10", "4"]
    assert table([one], long=True) == [
        ["student", "earned", "possible", *EXERCISES, *grades.MORE_COLUMNS],
        ["a", "14", "20", "10", "4", "Ada", "a@example.org", "12.25", "", "90000", "0.125", "graded"],
    ]
    assert table([by_hand(one, "20")], long=True)[1][-5::4] == ["20", "by hand"]


def test_a_fault_of_the_graders_own_is_an_empty_cell_and_not_a_zero():
    row = table([fault("a")], long=True)[1]
    assert row[4] == ""
    assert row[7] == ""
    assert row[-1] == "no verdict"


def test_lines_come_one_at_a_time():
    seen = []

    def standings():
        for id_ in "abc":
            seen.append(id_)
            yield standing(id_)

    lines = grades.lines(standings(), EXERCISES)
    next(lines)
    next(lines)
    assert seen == ["a"]


@pytest.mark.parametrize("safe", [False, True])
def test_every_id_comes_back_in_its_own_cell(safe):
    rows = table([standing(name, name) for name in HOSTILE], safe_cells=safe, long=True)
    assert [len(row) for row in rows] == [len(rows[0])] * (len(HOSTILE) + 1)
    assert [row[0] for row in rows[1:]] == [plain(guarded(name) if safe else name) for name in HOSTILE]
    assert [row[5] for row in rows[1:]] == [row[0] for row in rows[1:]]


def test_safe_cells_leave_nothing_that_a_spreadsheet_would_calculate():
    rows = table([standing(name, name, (0, 0)) for name in HOSTILE], safe_cells=True, long=True)
    texts = {cell for row in rows[1:] for place, cell in enumerate(row) if place in (0, 5, 6)}
    assert not [cell for cell in texts if cell.startswith(tuple("=+-@\t\r\n"))]
    assert "'=cmd|' /C calc'!A0" in texts


def test_numbers_are_never_touched():
    negative = standing("a", final=Decimal("-1.5"))
    assert table([negative], safe_cells=True, long=True)[1][7] == "-1.5"


def test_nothing_can_move_a_terminals_cursor():
    text = "".join(
        grades.lines([standing(name, name, report=report(hostile=name)) for name in HOSTILE], EXERCISES, long=True)
    )
    assert not {char for char in text if char != "\n" and char != "\t" and ord(char) < 32}
    assert "\u202e" not in text


@pytest.mark.parametrize(
    ("points", "shown"),
    [("8", "8"), ("8.50", "8.5"), ("100", "100"), ("0", "0"), ("-0.001", "0"), ("2.665", "2.67"), ("1E+2", "100")],
)
def test_points_have_at_most_two_decimals_and_half_is_rounded_up(points, shown):
    assert number(Decimal(points)) == shown
