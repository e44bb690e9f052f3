"""What is particular to Canvas, Moodle and Blackboard: names taken apart, attempts, late marks."""

from collections.abc import Callable
from pathlib import Path

import made_exports
from hypothesis import given, settings
from hypothesis import strategies as st
from made_exports import NOON, Handed, write, zipped
from made_submissions import SOURCE, by_id, problems, refusals

from grader.batch.handed_in import Collection
from grader.batch.layouts import blackboard, canvas, moodle

Collected = Callable[..., Collection]
OLD, NEW = b"# old\n", b"# new\n"

# An alphabet of what matters: the whole of Unicode takes seconds to set up.
anything = st.text("aZ09_-. \n\x1b\u00e9\u738b=+'\"/\\\U0001f600", max_size=20)
word = st.text("aZ\u00e9\u738b09", max_size=8)
digits = st.integers(0, 10**9).map(str)


# Canvas


def test_canvas_the_newest_attachment_of_a_file_counts(tmp_path: Path, collected: Collected) -> None:
    students = [Handed("7", "Ann Lee", {"first.py": OLD}), Handed("7", "Ann Lee", {"first.py": NEW})]
    collection = collected(made_exports.canvas(tmp_path / "hw", students))
    assert by_id(collection) == {"7": NEW}
    assert refusals(collection) == [
        "annlee_7_9001_first.py: handed in again: annlee_7_9002_first-1.py is newer and counts"
    ]


def test_canvas_attachments_are_compared_as_numbers(tmp_path: Path, collected: Collected) -> None:
    write(tmp_path / "hw", {"ann_7_999_first.py": OLD, "ann_7_1000_first-1.py": NEW})
    assert by_id(collected(tmp_path / "hw")) == {"7": NEW}


def test_canvas_of_two_zips_the_newer_one_counts(tmp_path: Path, collected: Collected) -> None:
    files = {"ann_7_10_b.zip": zipped({"first.py": OLD}), "ann_7_11_a.zip": zipped({"first.py": NEW})}
    (only,) = collected(write(tmp_path / "hw", files)).submissions
    assert only.read().modules["first"] == NEW
    assert "b.zip/first.py is older than a.zip/first.py, which counts" in only.read().ignored


def test_canvas_marks_who_was_late(tmp_path: Path, collected: Collected) -> None:
    students = [
        Handed("7", "Late", {"first.py": SOURCE}, late=True),
        Handed("8", "Late", {"first.py": SOURCE}),
    ]
    collection = collected(made_exports.canvas(tmp_path / "hw", students))
    assert {each.students[0].id: each.late for each in collection.submissions} == {"7": True, "8": False}
    assert collection.says == "Recognised a Canvas download: 2 submissions; 1 marked late."


def test_canvas_text_typed_into_the_page_is_no_file(tmp_path: Path, collected: Collected) -> None:
    write(tmp_path / "hw", {"ann_7_text.html": b"<p>", "bo_8_12_first.py": SOURCE})
    assert problems(collected(tmp_path / "hw")) == {
        "7": "Text or a link was handed in through the page, no file: a lesson's .py file or a zip is read.",
        "8": "",
    }


def test_canvas_anonymous_students_are_told_apart(tmp_path: Path, collected: Collected) -> None:
    write(tmp_path / "hw", {"anon_a1B2c_11_first.py": OLD, "anon_LATE_x9Y8z_12_first.py": NEW})
    assert by_id(collected(tmp_path / "hw")) == {"a1B2c": OLD, "x9Y8z": NEW}


def test_canvas_another_file_is_named(tmp_path: Path, collected: Collected) -> None:
    write(tmp_path / "hw", {"ann_7_10_first.py": SOURCE, "notes.txt": b""})
    assert refusals(collected(tmp_path / "hw")) == ["notes.txt: is not named as Canvas names submissions"]


def test_files_that_only_look_like_canvas_are_one_a_student(tmp_path: Path, collected: Collected) -> None:
    write(tmp_path / "hw", {"lab_2026_01_ann.py": OLD, "lab_2026_01_bo.py": NEW})
    assert by_id(collected(tmp_path / "hw")) == {"lab_2026_01_ann": OLD, "lab_2026_01_bo": NEW}


@settings(max_examples=30, deadline=None)
@given(name=word, late=st.booleans(), user=digits, attachment=digits, file=anything)
def test_canvas_names_are_taken_apart_whatever_the_file_is_called(
    name: str, late: bool, user: str, attachment: str, file: str
) -> None:
    written = f"{name}_{'LATE_' if late else ''}{user}_{attachment}_{file}x"
    assert canvas.parse(written) == canvas.CanvasName(name, late, user, int(attachment), f"{file}x")


# Moodle


def test_moodle_a_file_cannot_pose_as_another_students(tmp_path: Path, collected: Collected) -> None:
    write(
        tmp_path / "hw",
        {
            "Ann_7_assignsubmission_file_Bo_8_assignsubmission_file_first.py": OLD,
            "Bo_8_assignsubmission_file_first.py": NEW,
        },
    )
    collection = collected(tmp_path / "hw")
    assert {each.students[0].id: each.students[0].name for each in collection.submissions} == {"7": "Ann", "8": "Bo"}
    assert by_id(collection)["8"] == NEW


def test_moodle_text_typed_into_the_page_is_no_file(tmp_path: Path, collected: Collected) -> None:
    write(tmp_path / "hw" / "Ann_7_assignsubmission_onlinetext_", {"onlinetext.html": b""})
    write(tmp_path / "hw" / "Bo_8_assignsubmission_file_", {"first.py": SOURCE})
    write(tmp_path / "hw" / "Bo_8_assignsubmission_onlinetext_", {"onlinetext.html": b""})
    found = problems(collected(tmp_path / "hw"))
    assert found["7"].startswith("Text was typed into the page")
    assert found["8"] == ""


@settings(max_examples=30, deadline=None)
@given(name=word, id_=digits, file=anything)
def test_moodle_names_are_taken_apart_whatever_the_file_is_called(name: str, id_: str, file: str) -> None:
    found = moodle.parse(f"{name} {name}_{id_}_assignsubmission_file_{file}")
    assert found == moodle.MoodleName(f"{name} {name}", id_, False, file)


# Blackboard


def test_blackboard_the_latest_attempt_counts_and_the_earlier_one_is_named(
    tmp_path: Path, collected: Collected
) -> None:
    students = [Handed("ann", "Ann", {"first.py": OLD}), Handed("ann", "Ann", {"first.py": NEW})]
    collection = collected(made_exports.blackboard(tmp_path / "hw", students))
    assert by_id(collection) == {"ann": NEW}
    assert refusals(collection) == [
        "Home work_1_ann_attempt_2026-03-01-12-00-00: an earlier attempt: the one of 2026-03-01-13-00-00 counts"
    ]


def test_blackboard_times_without_a_zone_make_nobody_late(tmp_path: Path, collected: Collected) -> None:
    collection = collected(made_exports.blackboard(tmp_path / "hw", [Handed("ann", "Ann", {"first.py": SOURCE})]))
    (only,) = collection.submissions
    assert (only.submitted, only.late) == (None, False)
    assert "the times carry no zone" in collection.says


def test_blackboard_users_with_underscores_are_told_by_the_receipt(tmp_path: Path, collected: Collected) -> None:
    students = [Handed("ann_lee", "Ann", {"first.py": OLD}), Handed("ann_kim", "Ann", {"first.py": NEW})]
    export = made_exports.blackboard(tmp_path / "hw", students)
    assert set(by_id(collected(export))) == {"ann_lee", "ann_kim"}


def test_blackboard_without_receipts_the_assignment_is_what_all_names_share(
    tmp_path: Path, collected: Collected
) -> None:
    students = [Handed("ann_lee", "Ann", {"first.py": OLD}), Handed("bo_lee", "Bo", {"first.py": NEW})]
    export = made_exports.blackboard(tmp_path / "hw", students, receipts=False)
    assert by_id(collected(export)) == {"ann_lee": OLD, "bo_lee": NEW}


def test_blackboard_a_receipt_cannot_name_another_student(tmp_path: Path, collected: Collected) -> None:
    head = "HW_ann_attempt_2026-03-01-12-00-00"
    write(tmp_path / "hw", {f"{head}.txt": b"Name: Bo (bo)\n", f"{head}_first.py": SOURCE})
    assert set(by_id(collected(tmp_path / "hw"))) == {"ann"}


def test_blackboard_an_attempt_without_a_file_says_so(tmp_path: Path, collected: Collected) -> None:
    export = made_exports.blackboard(tmp_path / "hw", [Handed("ann", "Ann", {}), Handed("bo", "Bo", {"first.py": NEW})])
    assert problems(collected(export))["ann"].startswith("No file was handed in with this attempt")


@settings(max_examples=30, deadline=None)
@given(head=word, file=anything)
def test_blackboard_names_are_taken_apart_whatever_the_file_is_called(head: str, file: str) -> None:
    time = f"{NOON:%Y-%m-%d-%H-%M-%S}"
    found = blackboard.parse(f"HW_{head}_attempt_{time}_{file}x")
    assert found == blackboard.BlackboardName(f"HW_{head}", time, f"{file}x")


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(anything, st.sampled_from(["_attempt_", "_assignsubmission_file_", "_1_2_", "anon_"]))))
def test_no_name_breaks_a_parser(pieces: list[str]) -> None:
    for parse in (canvas.parse, moodle.parse, blackboard.parse):
        parse("".join(pieces))
