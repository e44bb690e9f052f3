"""What `anatomy gradebook` says and does."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from gradebook.conftest import OPEN
from gradebook.made import NOON, pair
from gradebook.postgres import PASSWORD

from grader.batch.order import Order
from grader.cli import main
from grader.cli.book import FILE
from grader.errors import UserError
from grader.gradebook.assignment import Assignment
from grader.gradebook.book import Gradebook
from grader.gradebook.schema import gradings

Anatomy = Callable[..., Result]

WEEK = """\
id: week-1
title: "The first week"
lessons: [first]
due: 2026-03-01 13:00
zone: Europe/Zurich
late: {per_day: 10, grace: 15}
"""

SHOWN = """\
The first week (week-1): first; due 2026-03-01 13:00 (+01:00 Europe/Zurich); late: 10 % of the
earned points for each begun day, 15 min of grace

Student          Name                     Points  Of  Notes
\\x00evil\\x1b[2J  Name of \\x00evil\\x1b[2J       4  14  grader fault
ada              Ada                           9  14  late, -10 %; set by Prof. Ö
bob              Name of bob                  11  14
cy               Name of cy                   11  14  late, nobody knows how much

Marked late by the platform, nobody knows how much, so nothing was taken away: cy. Enter the time
with `anatomy gradebook submitted`, or set points with `anatomy gradebook override`.

1 submission has no time of handing in: taken as in time.

A fault of the grader's own kept these from a verdict: \\x00evil\\x1b[2J. Grade them again.
"""

HISTORY = """\
ada in The first week (week-1)

1  2026-03-01 12:00 (+01:00 Europe/Zurich)
   the assignment was made: The first week (week-1): first; due 2026-03-01 13:00 (+01:00
   Europe/Zurich); late: 10 % of the earned points for each begun day, 15 min of grace

6  2026-03-01 12:00 (+01:00 Europe/Zurich)
   first grading
   points: nothing -> 9.9

10  2026-03-01 12:00 (+01:00 Europe/Zurich) by Prof. Ö
   first.double set to 6.00 points
   reason: a typo
   points: 9.9 -> 9
"""


NOW = "2026-03-01T11:00:00+00:00"


@pytest.fixture
def anatomy(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_places: None) -> Anatomy:
    """Run `anatomy gradebook` on the gradebook in `place`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("click.formatting.FORCED_WIDTH", 200)

    def run(*arguments: str, code: int = 0) -> Result:
        done = CliRunner().invoke(main, ["gradebook", *arguments, "--db", place], catch_exceptions=False)
        assert done.exit_code == code, done.output
        return done

    return run


@pytest.fixture
def filled(anatomy: Anatomy, place: str, tmp_path: Path) -> Anatomy:
    """With an assignment, and four students of all kinds."""
    (tmp_path / "week.yaml").write_text(WEEK, encoding="utf-8")
    assert anatomy("assignments", "--set", "week.yaml").output.startswith("Stored week-1.\n\nThe first week (week-1)")
    with Gradebook(place, create=False) as book:
        pairs = [
            pair(submitted=NOON + timedelta(hours=20), name="Ada"),
            pair("bob", submitted=NOON),
            pair("cy", late=True),
            pair("\x00evil\x1b[2J", 0, fault=True),
        ]
        book.record("week-1", pairs)
    anatomy("override", "ada", "double", "6", "--reason", "a typo", "--by", "Prof. Ö")
    return anatomy


def test_show_lists_who_has_what_and_what_is_to_be_decided(filled: Anatomy) -> None:
    assert filled("show").output == SHOWN
    document = json.loads(filled("show", "--format", "json").output)
    assert document["assignment"]["late"] == {"per_day": 10, "grace": 15, "cut_off": None, "least": 0}
    ada = next(each for each in document["students"] if each["student"] == "ada")
    assert ada == {
        "student": "ada", "name": "Ada", "email": "someone@example.org", "final": 9, "earned": 11, "possible": 14,
        "submitted": "2026-03-02T08:00:00+00:00", "fault": False,
        "late": {
            "seconds": 72000, "share": 0.1,
            "says": "Handed in 20 h late, which is 1 begun day: 10 % of the points are taken away.",
        },
        "damaged": False,
        "overrides": [
            {"exercise": "first.double", "points": 6, "reason": "a typo", "by": "Prof. Ö", "at": NOW}
        ],
    }  # fmt: skip


def test_history_shows_before_after_and_why(filled: Anatomy) -> None:
    assert filled("history", "ada").output == HISTORY
    (*_, last) = json.loads(filled("history", "ada", "--format", "json").output)["changes"]
    assert last == {
        "number": 10, "kind": "override", "at": NOW, "says": "first.double set to 6.00 points",
        "reason": "a typo", "by": "Prof. Ö", "before": 9.9, "after": 9, "withdrawn": False,
    }  # fmt: skip


def test_an_extension_is_written_in_the_assignments_zone(filled: Anatomy) -> None:
    why = ("--reason", "ill", "--by", "P")
    done = filled("extend", "ada", "--until", "2026-03-02 13:00", *why)
    assert done.stdout == (
        "Number 11: ada may hand in week-1 until 2026-03-02 13:00 (+01:00 Europe/Zurich). Points: 9 -> 10.\n"
    )
    done = filled("extend", "dan", "--until", "2026-03-02T13:00Z", *why)
    assert done.stderr.startswith("Note: nothing of that student was graded yet")
    assert "--until: 'tomorrow' is no date" in filled("extend", "ada", "--until", "tomorrow", *why, code=2).stderr
    record = json.loads(filled("withdraw", "11", *why, "--format", "json").output)
    assert record["withdrawn"]["says"].startswith("'ada' in week-1: extended until 2026-03-02 13:00")
    assert "(withdrawn later)" in filled("history", "ada").output


def test_points_may_be_set_for_one_exercise_or_for_all(filled: Anatomy) -> None:
    why = ("--reason", "r", "--by", "P")
    assert filled("override", "bob", "12,5", *why).output == (
        "Number 11: bob has 12.5 points for the whole assignment. Points: 11 -> 12.5.\n"
    )
    assert filled("override", "bob", "first.double", "99", *why).stderr == (
        "Note: that is more than the 10 that are possible.\n"
    )
    assert "second.halve is not part of week-1" in filled("override", "bob", "halve", "1", *why, code=2).stderr
    assert "'many' are no points" in filled("override", "bob", "many", *why, code=2).stderr
    assert "no points" in filled("override", "bob", "nan", *why, code=2).stderr
    assert "Missing option '--by'" in filled("override", "bob", "1", "--reason", "r", code=2).stderr
    assert "Did you mean 'bob'?" in filled("override", "bobb", "1", *why, code=2).stderr
    assert "needs quotes" in filled("override", "bob", "a", "b", "1", *why, code=2).stderr


def test_an_id_that_cannot_be_typed_is_written_as_it_is_shown(filled: Anatomy) -> None:
    done = filled("override", r"\x00evil\x1b[2J", "3", "--reason", "\ud800", "--by", "P")
    assert done.output == ("Number 11: \\x00evil\\x1b[2J has 3 points for the whole assignment. Points: 4 -> 3.\n")
    assert r"reason: \ud800" in filled("history", r"\x00evil\x1b[2J").output


def test_which_assignment_is_asked_for_where_there_are_several(filled: Anatomy, place: str) -> None:
    with Gradebook(place) as book:
        book.put(Assignment("week-2", "Second", ("second",)))
    assert filled("show", code=2).stderr == "Error: Say which: --assignment week-1 or week-2.\n"
    assert filled("show", "--assignment", "week-2").output.endswith("no due time\n\nNothing has been graded yet.\n")
    listed = json.loads(filled("assignments", "--format", "json").output)
    assert [each["id"] for each in listed["assignments"]] == ["week-1", "week-2"]


def test_the_same_assignment_again_changes_nothing(filled: Anatomy) -> None:
    assert filled("assignments", "--set", "week.yaml").output.startswith("No change in week-1.\n")


def test_where_the_gradebook_is_must_be_said(tmp_path: Path, made_places: None) -> None:
    def run(*arguments: str) -> Any:
        return CliRunner().invoke(main, ["gradebook", *arguments], catch_exceptions=False)

    assert "Say which gradebook: --out DIR" in run("show").stderr
    assert "Say which gradebook: --out DIR" in run("show", "--out", str(tmp_path), "--db", "x").stderr
    done = run("show", "--out", str(tmp_path))
    assert (done.exit_code, done.stderr) == (
        2, f"Error: There is no gradebook {tmp_path / FILE}. `anatomy batch` makes one.\n"
    )  # fmt: skip
    assert "There is no folder" in run("show", "--out", str(tmp_path / "missing")).stderr
    assert PASSWORD not in run("show", "--db", f"postgresql://me:{PASSWORD}@127.0.0.1:1/db").stderr
    with Gradebook(tmp_path / FILE) as book:
        assert "holds no assignment yet" in run("show", "--out", str(tmp_path)).stderr
        assert "There is none yet" in run("assignments", "--out", str(tmp_path)).output
        book.put(OPEN)
    assert run("show", "--out", str(tmp_path)).output == (
        "First (week-1): first; no due time\n\nNothing has been graded yet.\n"
    )


def test_points_for_whom_nothing_was_graded_are_shown(filled: Anatomy) -> None:
    why = ("--reason", "oral exam", "--by", "P")
    assert "give --name too" in filled("override", "eve", "9", *why, code=2).stderr
    done = filled("override", "eve", "9", "--name", "Eve, E", *why)
    assert done.stdout == "Number 11: eve has 9 points for the whole assignment. Points: nothing -> 9.\n"
    assert "eve              Eve, E                        9  14  set by P\n" in filled("show").output


def test_a_time_may_be_entered_for_whom_the_platform_marked_late(filled: Anatomy) -> None:
    why = ("--reason", "by e-mail", "--by", "P")
    assert filled("submitted", "cy", "--at", "2026-03-02 13:00:01", *why).output == (
        "Number 11: cy handed in week-1 on 2026-03-02 13:00:01 (+01:00 Europe/Zurich). Handed in 1 day 1 s late, which "
        "is 2 begun days: 20 % of the points are taken away. Points: 11 -> 8.8.\n"
    )
    assert "nobody knows how much" not in filled("show").output
    assert "--at: 'then' is no date" in filled("submitted", "cy", "--at", "then", *why, code=2).stderr
    filled("override", "cy", "11", *why)
    assert "late; set by P" in filled("show").output
    assert "Points: 11, as before." in filled("override", "cy", "first.shared", "3", *why).output


def test_points_out_of_bounds_say_the_bounds(filled: Anatomy) -> None:
    why = ("--reason", "r", "--by", "P")
    for points in ("1e9", "1e999999", "9" * 300):
        says = filled("override", "bob", points, *why, code=2).stderr
        assert "points are too many. Write a number from 0 to 1000000." in says
        assert len(says) < 200


def test_a_policy_is_shown_whole_and_an_id_of_any_length_in_short(filled: Anatomy, place: str, tmp_path: Path) -> None:
    policy = "late: {per_day: 12.5, grace: 15, cut_off: 5, least: 20}"
    text = WEEK.replace("late: {per_day: 10, grace: 15}", policy).replace(
        "The first week", "The first week " + "x" * 90
    )
    (tmp_path / "week.yaml").write_text(text, encoding="utf-8")
    ending = "at least 20 % stay, nothing counts after 5 days, 15 min of grace"
    for said in (filled("assignments", "--set", "week.yaml"), filled("show"), filled("history", "ada")):
        assert ending in " ".join(said.output.split())
    long = "n" * 999
    with Gradebook(place) as book:
        book.record("week-1", [pair(f"{long}a"), pair(f"{long}b")])
    ids = [line.split()[0] for line in filled("show").output.splitlines() if line.startswith("nnn")]
    assert len(set(ids)) == 2
    assert {len(each) for each in ids} == {40}
    assert filled("history", ids[0], "--format", "json").output.count("n" * 999) == 1


def test_a_damaged_record_is_named_and_the_others_are_shown(filled: Anatomy, place: str) -> None:
    with Gradebook(place) as book, book._database.writing() as connection:
        connection.execute(gradings.update().where(gradings.c.student == "bob").values(report=b"\x00"))
    shown = filled("show").output
    assert "The record of what was graded is damaged: bob." in shown
    assert "ada              Ada                           9  14  late, -10 %" in shown
    assert "first grading" in filled("history", "bob").output
    filled("override", "bob", "3", "--reason", "r", "--by", "P")


def test_the_folder_of_a_run_says_where_its_gradebook_is(tmp_path: Path, made_places: None) -> None:
    elsewhere = tmp_path / "elsewhere.sqlite"
    with Gradebook(elsewhere) as book:
        book.put(OPEN)
    Order("submissions", ("first",), db=str(elsewhere)).save(tmp_path)
    done = CliRunner().invoke(main, ["gradebook", "show", "--out", str(tmp_path)], catch_exceptions=False)
    assert done.stderr == f"The gradebook of {tmp_path} is {elsewhere}.\n"
    assert "First (week-1)" in done.stdout
    Order("submissions", ("first",)).save(tmp_path)
    done = CliRunner().invoke(main, ["gradebook", "show", "--out", str(tmp_path)], catch_exceptions=False)
    assert f"There is no gradebook {tmp_path / FILE}" in done.stderr
    with pytest.raises(UserError, match="%40"):
        Order("submissions", ("first",), db="postgresql://me:a@b@host/db").save(tmp_path)
