"""Assignments as instructors write them."""

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from grader.course.model import Course
from grader.gradebook import moments
from grader.gradebook.assignment import Assignment, AssignmentErrors, load_assignment, unnamed
from grader.gradebook.late import LatePolicy
from grader.gradebook.moments import moment, told

Write = Callable[[Path, str], Path]

WHOLE = """\
id: week-3
title: "The third week"
lessons: [second, first]
due: 2026-03-01 23:59
zone: Europe/Zurich
late: {per_day: 12.5, grace: 15, cut_off: 5, least: 20}
"""


def load(tmp_path: Path, course: Course, text: str) -> Assignment:
    path = tmp_path / "week.yaml"
    path.write_text(text, encoding="utf-8")
    return load_assignment(path, course)


def mistakes(tmp_path: Path, course: Course, text: str) -> list[str]:
    with pytest.raises(AssignmentErrors) as caught:
        load(tmp_path, course, text)
    assert str(caught.value).startswith("The assignment has ")
    return [f"{mistake.line}: {mistake.says}" for mistake in caught.value.mistakes]


def test_everything_is_read(tmp_path: Path, made_course: Course) -> None:
    made = load(tmp_path, made_course, WHOLE)
    assert made == Assignment(
        "week-3", "The third week", ("first", "second"), datetime(2026, 3, 1, 22, 59, tzinfo=UTC), "Europe/Zurich",
        LatePolicy(Decimal("12.5"), 15, 5, Decimal(20)),
    )  # fmt: skip
    assert Assignment.from_dict(made.to_dict()) == made
    assert "due 2026-03-01 23:59 (+01:00 Europe/Zurich)" in str(made)


@pytest.mark.parametrize("rest", ["", "lessons: all\nlate: none\n", "late:\n"])
def test_all_but_id_and_title_may_be_left_out(tmp_path: Path, made_course: Course, rest: str) -> None:
    made = load(tmp_path, made_course, f"id: a\ntitle: A\n{rest}")
    assert made == replace(unnamed(["first", "second"], made_course), id="a", title="A")
    assert Assignment.from_dict(made.to_dict()) == made


def test_every_mistake_is_told_at_once_with_its_line(tmp_path: Path, made_course: Course) -> None:
    text = """\
    id: Week 3
    titel: x
    lessons: [frist, second, second]
    due: 2026-02-30 23:59
    zone: Europe/Zurick
    late: {per_day: 120, grace: 1.5, cut_off: -1, leest: 3, least: ten}
    """
    assert mistakes(tmp_path, made_course, "\n".join(line.strip() for line in text.splitlines())) == [
        "1: 'Week 3' is no id; write lower-case letters, digits and dashes, at most 64, like week-3",
        "1: the assignment has no `title`; write `title:` and a text",
        "2: the assignment has no key `titel`; did you mean `title`?",
        "3: `lessons` names 'frist', which is no lesson; did you mean `first`?",
        "3: `lessons` names second twice; keep one",
        "4: `due`: '2026-02-30 23:59' is no date with a time; write it like 2026-03-01 23:59",
        "5: `zone`: 'Europe/Zurick' is no time zone; did you mean Europe/Zurich?",
        "6: `cut_off` is a whole number (-1); write whole days, from 0 to 3650",
        "6: `grace` is a number (1.5); write whole minutes, from 0 to 10080",
        "6: `late` has no key `leest`; did you mean `least`?",
        "6: `least` is 'ten'; write a percentage from 0 to 100, like 12.5",
        "6: `per_day` is a whole number (120); write a percentage from 0 to 100, like 12.5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("due: 2026-03-01 23:59", "`due` is a local time and there is no `zone`; write `zone:` and a name like"),
        ("late: {per_day: 10}", "`late` says what being late costs, and there is no `due`; write `due:` and `zone:`"),
        ("late: strict", "`late` is 'strict'; write `none`, or a table like {per_day: 10, grace: 15, cut_off: 5}"),
        ("late: 10", "`late` is a whole number (10); write `none`, or a table like {per_day: 10,"),
        ("lessons: []", "`lessons` is empty; name at least one, or write `all`"),
        ("lessons: some", "`lessons` is a text; write a list of texts, [] if there is none"),
        ("zone: Europe", "`zone`: 'Europe' is no time zone; did you mean"),
        ("zone: ../../etc/passwd", "`zone`: '../../etc/passwd' is no time zone; write one like Europe/Zurich"),
        ("id: a\nid: b", "the key `id` is here a second time (first in line 1); keep one"),
    ],
)  # fmt: skip
def test_a_mistake_says_what_to_write(tmp_path: Path, made_course: Course, line: str, says: str) -> None:
    text = f"{line}\ntitle: A\n" + ("" if line.startswith("id") else "id: a\n")
    assert any(each.partition(": ")[2].startswith(says) for each in mistakes(tmp_path, made_course, text))


@pytest.mark.parametrize(
    "late", ["{least: 5}", "{per_day: .inf}", "{per_day: .nan}", "{per_day: 0.001}", "{per_day: []}"]
)
def test_percentages_have_at_most_two_decimals_and_something_to_be_taken_from(
    tmp_path: Path, made_course: Course, late: str
) -> None:
    text = f"id: a\ntitle: A\ndue: 2026-03-01 23:59\nzone: UTC\nlate: {late}\n"
    assert len(mistakes(tmp_path, made_course, text)) == 1


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"a: [", b"- 1", b"\x00"])
def test_what_is_no_assignment_at_all_is_told(tmp_path: Path, made_course: Course, content: bytes) -> None:
    path = tmp_path / "week.yaml"
    path.write_bytes(content)
    with pytest.raises(AssignmentErrors, match=r"week\.yaml"):
        load_assignment(path, made_course)
    with pytest.raises(AssignmentErrors, match="the file is missing"):
        load_assignment(tmp_path / "nowhere.yaml", made_course)


def test_a_time_that_the_clocks_skip_is_refused(tmp_path: Path, made_course: Course) -> None:
    (says,) = mistakes(tmp_path, made_course, WHOLE.replace("2026-03-01 23:59", "2026-03-29 02:30"))
    assert says.startswith(
        "4: `due`: 2026-03-29 02:30 does not exist in Europe/Zurich, where the clocks skip it; write"
    )


def test_a_time_that_the_clocks_show_twice_is_the_later_one(tmp_path: Path, made_course: Course) -> None:
    made = load(tmp_path, made_course, WHOLE.replace("2026-03-01 23:59", "2026-10-25 02:30"))
    assert made.due == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert told(made.due, made.zone) == "2026-10-25 02:30 (+01:00 Europe/Zurich)"


def test_a_person_may_write_an_offset(monkeypatch: pytest.MonkeyPatch) -> None:
    assert moment("2026-03-01T23:59+05:30", "Europe/Zurich") == datetime(2026, 3, 1, 18, 29, tzinfo=UTC)
    assert moment("2026-03-01 23:59:30", "Europe/Zurich") == datetime(2026, 3, 1, 22, 59, 30, tzinfo=UTC)
    for text in ("tomorrow", "2026-03-01", "23:59", "0001-01-01 00:00", "2026-03-01 25:00", "٢٠٢٦-03-01 23:59"):
        with pytest.raises(ValueError, match="is no date with a time"):
            moment(text, "Europe/Zurich")
    monkeypatch.setattr(moments, "available_timezones", set)
    with pytest.raises(ValueError, match="pip install tzdata"):
        moment("2026-03-01 23:59", "Europe/Nowhere")
    assert told(datetime(2026, 3, 1, 22, 59, tzinfo=UTC), "Europe/Nowhere") == "2026-03-01 22:59 (+00:00 UTC)"


def test_what_no_assignment_lies_in_is_not_read(tmp_path: Path, made_course: Course) -> None:
    pipe, huge = tmp_path / "pipe", tmp_path / "huge"
    os.mkfifo(pipe)
    with huge.open("wb") as file:
        file.truncate(10**12)
    for path, says in (
        (Path("/dev/zero"), "no ordinary file"),
        (pipe, "no ordinary file"),
        (huge, "longer than 65536"),
    ):
        with pytest.raises(AssignmentErrors, match=says):
            load_assignment(path, made_course)


def test_what_is_echoed_is_short(tmp_path: Path, made_course: Course) -> None:
    path = tmp_path / "week.yaml"
    path.write_text(f"id: {'A' * 5000}\ntitle: t\nlessons: [{'B' * 5000}]\ndue: {'C' * 5000}\nzone: {'D' * 5000}\n")
    with pytest.raises(AssignmentErrors) as caught:
        load_assignment(path, made_course)
    assert len(str(caught.value)) < 1500


def test_nothing_is_told_twice() -> None:
    assert str(Assignment("first", "First", ("first",))) == "First (first); no due time"
