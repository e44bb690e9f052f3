"""A run: what is known is not graded again, and whatever becomes of one submission touches no other."""

from __future__ import annotations

import json
from concurrent.futures import Executor, Future
from dataclasses import replace

import pytest
from made_run import EXERCISES, PARTS, Died, MadeHands, by_length, handed_in, manner

from grader.batch.changes import changes
from grader.batch.desk import NoDesk
from grader.batch.journal import Journal
from grader.batch.run import Run
from grader.errors import GraderFault, UserError
from grader.options import Options
from grader.report import Report


@pytest.fixture
def run(tmp_path, made_course):
    """Run submissions into a folder; gives what the run came to, the journal's entries, and the hands."""

    def run(*submissions, verdict=by_length, how=None, **options):
        hands = MadeHands(verdict)
        files = {student.id: student.id for handed in submissions for student in handed.students}
        with Journal(tmp_path / "out") as journal:
            work = Run(made_course, how or manner(), journal, files, lambda: hands, **options)
            ran = work(submissions, len(submissions))
            run.changes = list(changes(journal, ran.moved))
            return ran, {entry.student.id: entry for entry in journal.entries()}, hands

    return run


def report_of(tmp_path, student):
    return Report.from_dict(json.loads((tmp_path / "out" / "reports" / f"{student}.json").read_bytes()))


def test_each_student_gets_a_report_and_an_entry(run, tmp_path):
    ran, entries, _ = run(handed_in("ada", text="long enough"), handed_in("bo", text="abc"))
    assert {student: entry.earned for student, entry in entries.items()} == {"ada": 10, "bo": 3}
    assert (ran.done, ran.graded, list(ran.standing)) == (2, 2, ["ada", "bo"])
    assert report_of(tmp_path, "bo").submission == "bo"


def test_a_group_is_graded_once_and_each_member_has_the_verdict(run, tmp_path):
    _, entries, hands = run(handed_in("ada", "bo", text="abcd"))
    assert hands.graded == ["ada"]
    assert [entries[each].earned for each in ("ada", "bo")] == [4, 4]
    assert report_of(tmp_path, "bo").submission == "bo"


def test_a_second_run_grades_nothing(run):
    submissions = handed_in("ada"), handed_in("bo")
    run(*submissions)
    ran, _, hands = run(*submissions)
    assert (ran.graded, ran.done, hands.graded) == (0, 2, [])


def test_what_was_handed_in_again_is_graded_again_and_told(run):
    run(handed_in("ada", text="abc"), handed_in("bo"))
    _, entries, hands = run(handed_in("ada", text="abcdef"), handed_in("bo"))
    assert hands.graded == ["ada"]
    assert entries["ada"].earned == 6
    [change] = run.changes
    assert (change.student.id, change.before, change.after, change.why) == ("ada", 3, 6, "handed in again")
    assert [(each.id, each.earned_before, each.earned) for each in change.exercises] == [("first.double", 3, 6)]


def test_an_earlier_submission_that_counts_again_has_its_report_back_without_grading(run, tmp_path):
    run(handed_in("ada", text="abc"))
    run(handed_in("ada", text="abcdef"))
    ran, _, hands = run(handed_in("ada", text="abc"))
    assert hands.graded == []
    assert report_of(tmp_path, "ada").earned == 3
    assert [(change.before, change.after) for change in run.changes] == [(6, 3)]
    assert ran.done == 1


@pytest.mark.parametrize(
    ("how", "why"),
    [
        (manner(parts={**PARTS, "lesson first": "f2"}), "lesson first changed"),
        (manner(parts={**PARTS, "torch": "2.10"}), "torch 2.9 became 2.10"),
        (manner(parts={**PARTS, "the engine": "e2"}), "the engine changed"),
        (manner(Options(seed=7)), "another seed"),
        (replace(manner(), exercises=EXERCISES[:1]), "other exercises or options"),
        (manner(Options(hide_expected=True)), "other exercises or options"),
    ],
)
def test_whatever_a_verdict_rests_on_makes_a_second_one(run, how, why):
    run(handed_in("ada"))
    _, _, hands = run(handed_in("ada"), how=how, verdict=lambda parcel: by_length(replace(parcel, modules={})))
    assert hands.graded == ["ada"]
    assert [change.why for change in run.changes] == [why]


def test_all_are_graded_again_on_request(run):
    run(handed_in("ada"))
    _, _, hands = run(handed_in("ada"), again=True)
    assert hands.graded == ["ada"]


def test_an_unreadable_submission_is_marked_and_the_others_are_graded(run, tmp_path):
    ran, entries, hands = run(handed_in("ada", problem="the archive is damaged."), handed_in("bo"))
    assert hands.graded == ["bo"]
    assert [(student.id, why) for student, why in ran.unreadable] == [("ada", "the archive is damaged.")]
    report = report_of(tmp_path, "ada")
    assert report.problems == ("The grader could not read the submission: the archive is damaged.",)
    assert {exercise.status for exercise in report.exercises} == {"error"}
    assert entries["ada"].earned == 0


def test_one_that_kills_its_process_is_known_by_its_death_and_the_rest_is_graded(run, tmp_path):
    def verdict(parcel):
        if parcel.names == ("eve",):
            raise Died
        return by_length(parcel)

    students = ["ada", "bo", "cy", "eve", "fay", "gus", "hal"]
    _, entries, hands = run(*(handed_in(each, text=each) for each in students), verdict=verdict)
    assert {each: entries[each].earned for each in students} == {**{each: len(each) for each in students}, "eve": 0}
    assert [each for each in students if entries[each].fault] == ["eve"]
    assert "died, twice" in report_of(tmp_path, "eve").exercises[0].message
    assert hands.graded.count("eve") == 2


def test_a_fault_is_no_verdict_and_is_tried_again(run):
    def fails(parcel):
        raise GraderFault("the scratch folder is full")

    _, entries, _ = run(handed_in("ada"), verdict=fails)
    assert entries["ada"].fault
    _, entries, hands = run(handed_in("ada"))
    assert hands.graded == ["ada"]
    assert not entries["ada"].fault
    assert run.changes[0].why == "the grader's own fault is mended"


def test_where_nothing_can_be_graded_the_run_stops_and_nobody_is_marked(run):
    def no_desk(parcel):
        raise NoDesk("Nothing can be graded: a suite is missing.")

    with pytest.raises(NoDesk):
        run(handed_in("ada"), handed_in("bo"), verdict=no_desk)
    ran, _, _ = run(handed_in("ada"), handed_in("bo"))
    assert ran.graded == 2


def test_one_that_never_ends_is_given_up(run, tmp_path, made_course):
    class Never(Executor):
        def submit(self, *args, **kwargs):
            return Future()

    class Hands(MadeHands):
        def executor(self):
            return Never()

    with Journal(tmp_path / "out") as journal:
        work = Run(made_course, manner(), journal, {"ada": "ada"}, Hands, patience=0.01)
        work([handed_in("ada")], 1)
    assert "did not end within" in report_of(tmp_path, "ada").exercises[0].message


def test_no_more_than_a_few_submissions_are_read_ahead(run):
    read, most = [], 0

    def verdict(parcel):
        nonlocal most
        most = max(most, len(read) - len(hands_done))
        hands_done.append(parcel)
        return by_length(parcel)

    def noted(name):
        handed = handed_in(name)
        return replace(handed, read=lambda: (read.append(name), handed.read())[1])

    hands_done: list[object] = []
    run(*(noted(f"s{number}") for number in range(50)), verdict=verdict)
    assert most <= 7


def test_records_that_came_along_are_handed_on(run):
    kept = {}
    run(handed_in("ada", logs=(b"{}",)), handed_in("bo"), keep_logs=kept.__setitem__)
    assert kept == {"ada": (b"{}",), "bo": ()}


def test_progress_is_told_for_each_submission(run):
    told = []
    run(handed_in("ada"), handed_in("bo"), handed_in("cy"), tell=lambda ran: told.append((ran.done, ran.total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_disk_that_is_full_stops_the_run_in_one_sentence_and_it_goes_on_later(run, monkeypatch):
    import os

    write, full = os.write, [False]

    def filling(descriptor, data):
        if full[0]:
            write(descriptor, data[: len(data) // 2])
            return len(data) // 2
        full[0] = data.startswith(b'{"version"')
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", filling)
    with pytest.raises(UserError, match="cannot be written to: No space left on device"):
        run(handed_in("ada"), handed_in("bo"), handed_in("cy"))
    monkeypatch.setattr(os, "write", write)
    ran, entries, _ = run(handed_in("ada"), handed_in("bo"), handed_in("cy"))
    assert (ran.graded, sorted(entries)) == (2, ["ada", "bo", "cy"])
