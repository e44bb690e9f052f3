"""The journal: whatever stops a run, a line is there whole or not at all, and it names a report that is there."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from made_run import handed_in, manner

from grader.batch.entry import Entry, Scored
from grader.batch.handed_in import Student
from grader.batch.journal import JOURNAL, Journal, digest
from grader.errors import UserError

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def entry_of(student: str, report: bytes, text: str = "x", earned: int = 3) -> Entry:
    handed = handed_in(student, text=text)
    key = manner().key(handed.students[0], handed.read())
    scored = (Scored("first.double", "partial", earned, 10, "first.double.thrice"),)
    return Entry(
        key, Student(student, "Ada \u00c9", "a@b"), student, "x/", NOON, NOON, True, digest(report), scored, {"a": "b"}
    )


def test_an_entry_reads_back_as_it_was(tmp_path):
    entry = entry_of("ada", b"{}")
    assert Entry.from_dict(json.loads(json.dumps(entry.to_dict()))) == entry


@pytest.mark.parametrize(
    "broken", [{}, [], None, 3, {"version": 2}, {"version": 1}, {"version": 1, "key": {"student": 1}}]
)
def test_what_is_no_entry_is_refused(broken):
    with pytest.raises(ValueError, match=r"entry|version"):
        Entry.from_dict(broken)


def test_an_entry_counts_from_one_opening_to_the_next(tmp_path):
    entry = entry_of("ada", b"{}")
    with Journal(tmp_path) as journal:
        journal.add(entry, b"{}")
    with Journal(tmp_path) as journal:
        assert list(journal.entries()) == [entry]
        assert journal.bring_back(entry.key, "ada")


def test_a_journal_cut_at_any_byte_holds_the_whole_lines_and_goes_on(tmp_path):
    reports = {name: f'{{"r": "{name}"}}'.encode() for name in ("ada", "bo")}
    with Journal(tmp_path) as journal:
        for name, report in reports.items():
            journal.add(entry_of(name, report), report)
    whole = (tmp_path / JOURNAL).read_bytes()
    first = whole.index(b"\n") + 1
    for cut in range(first, len(whole)):
        (tmp_path / JOURNAL).write_bytes(whole[:cut])
        with Journal(tmp_path) as journal:
            assert [entry.student.id for entry in journal.entries()] == ["ada"]
            assert journal.damaged == []
            journal.add(entry_of("bo", reports["bo"]), reports["bo"])
        assert (tmp_path / JOURNAL).read_bytes() == whole


def test_a_damaged_line_is_named_and_the_others_count(tmp_path):
    with Journal(tmp_path) as journal:
        for name in ("ada", "bo", "cy"):
            journal.add(entry_of(name, b"{}"), b"{}")
    lines = (tmp_path / JOURNAL).read_bytes().splitlines(keepends=True)
    (tmp_path / JOURNAL).write_bytes(lines[0] + b"\x00{]\n" + lines[2])
    with Journal(tmp_path) as journal:
        assert [entry.student.id for entry in journal.entries()] == ["ada", "cy"]
        assert journal.damaged == [2]


@pytest.mark.parametrize("change", ["taken away", "edited"])
def test_an_entry_whose_report_is_not_there_does_not_count(tmp_path, change):
    entry = entry_of("ada", b"{}")
    with Journal(tmp_path) as journal:
        journal.add(entry, b"{}")
        place = tmp_path / "reports" / "ada.json"
        place.unlink() if change == "taken away" else place.write_bytes(b'{"earned": 10}')
        assert not journal.bring_back(entry.key, "ada")


def test_a_report_that_another_one_replaces_is_kept(tmp_path):
    before, after = entry_of("ada", b"1"), entry_of("ada", b"2", text="y")
    with Journal(tmp_path) as journal:
        journal.add(before, b"1")
        journal.add(after, b"2")
        assert journal.report("ada", before.report) == b"1"
        assert journal.report("ada", after.report) == b"2"
        assert journal.bring_back(before.key, "ada")
        assert (tmp_path / "reports" / "ada.json").read_bytes() == b"1"
        assert journal.report("ada", after.report) == b"2"


def test_a_second_run_into_the_same_folder_is_refused(tmp_path):
    with Journal(tmp_path), pytest.raises(UserError, match="Another run is writing to"):
        Journal(tmp_path)
    Journal(tmp_path).__exit__(None, None, None)


def test_drafts_of_a_run_that_was_killed_are_cleared_away(tmp_path):
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / ".ada.json.draft").write_bytes(b"{")
    with Journal(tmp_path):
        assert list((tmp_path / "reports").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(UserError, match=r"out cannot be written to: .*same command again\."):
        Journal(tmp_path / "out")
