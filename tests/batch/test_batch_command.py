"""`anatomy batch` and `anatomy regrade`, with hands that answer at once."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from made_exports import Handed, as_zip, canvas, folders, gradescope, write, zipped
from made_run import Died, MadeHands, by_length

from grader.batch.journal import Journal
from grader.batch.order import Order
from grader.cli import batching, main
from grader.cli.batching import Workplace
from grader.gradebook.book import Gradebook
from grader.gradebook.trouble import GradebookAway


@pytest.fixture
def hands(monkeypatch):
    made = MadeHands()
    monkeypatch.setattr(Workplace, "hands", lambda self, lessons: made)
    return made


@pytest.fixture
def anatomy(hands, tmp_path, monkeypatch):
    """Run a command in a folder of its own; gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def anatomy(*words: object):
        return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)

    return anatomy


@pytest.fixture
def klass(tmp_path) -> Path:
    return folders(tmp_path / "class", [handed("ada", 3), handed("bo", 10)])


def handed(name: str, size: int, **more: object) -> Handed:
    return Handed(name, name.title(), {"normalization.py": b"#" * size}, **more)  # type: ignore[arg-type]


LESSON = ("--lesson", "normalization")


def test_it_says_what_it_recognised_what_came_of_it_and_where_it_lies(anatomy, klass):
    done = anatomy("batch", klass, "--out", "out", *LESSON)
    assert done.stderr.splitlines()[0] == "Recognised 2 folders, one a student: 2 submissions."
    graded, average, _, *written = done.stdout.splitlines()
    assert graded == "2 students graded: 2 submissions now, 0 known from before."
    assert average == "6.5 of 18 points on average."
    assert " ".join(written) == (  # where it is broken depends on how long the path is
        "Written to out: final.csv (what counts), grades.csv (points of the tests), overview.html, feedback/, "
        f"reports/, journal.jsonl. The gradebook: {klass.parent}/out/gradebook.sqlite."
    )
    assert done.exit_code == 0
    assert (klass.parent / "out" / "grades.csv").read_text() == (
        "student,earned,possible,normalization.layer_norm,normalization.rms_norm,normalization.standardize\n"
        "ada,3,18,3,0,0\nbo,10,18,10,0,0\n"
    )
    assert {path.name for path in (klass.parent / "out" / "feedback").iterdir()} == {"ada.html", "bo.html"}


def test_the_same_command_goes_on_where_it_stopped(anatomy, klass, hands):
    anatomy("batch", klass, "--out", "out", *LESSON)
    write(klass, {"cy/normalization.py": b"####"})
    done = anatomy("batch", klass, "--out", "out", *LESSON)
    assert hands.graded == ["ada", "bo", "cy"]
    assert done.stdout.startswith("3 students graded: 1 submission now, 2 known from before.\n")


def test_all_of_it_is_there_as_json(anatomy, klass):
    write(klass, {"photo.jpg": b"\xff", "eve.zip": b"PK no"})
    done = anatomy("batch", klass, "--out", "out", *LESSON, "--format", "json")
    record = json.loads(done.stdout)
    assert {key: record[key] for key in ("version", "students", "graded", "known", "faults")} == {
        "version": 1, "students": 3, "graded": 3, "known": 0, "faults": 0,
    }  # fmt: skip
    assert [each["what"] for each in record["refused"]] == ["photo.jpg"]
    assert [each["student"] for each in record["unreadable"]] == ["eve"]
    assert done.exit_code == 1


def test_regrading_shows_before_after_and_why_and_the_history_keeps_both(anatomy, klass):
    anatomy("batch", klass, "--out", "out", *LESSON)
    write(klass, {"ada/normalization.py": b"#" * 7})
    done = anatomy("regrade", "out")
    assert (
        "ada: 3 -> 7 of 18 (handed in again)\n  normalization.layer_norm: 3 -> 7 (partial -> partial)\n" in done.stdout
    )
    assert "bo:" not in done.stdout
    told = anatomy("gradebook", "history", "ada", "--out", "out", "--format", "json")
    moves = [each for each in json.loads(told.stdout)["changes"] if each["kind"] == "standing"]
    assert [(each["before"], each["after"], each["says"]) for each in moves] == [
        (None, 3, "first grading"),
        (3, 7, "handed in again"),
    ]


def test_regrading_runs_nothing_where_nothing_has_changed(anatomy, klass, hands):
    anatomy("batch", klass, "--out", "out", *LESSON)
    done = anatomy("regrade", "out")
    assert hands.graded == ["ada", "bo"]
    assert "Nothing has changed" in done.stdout


def test_a_change_of_a_suite_is_a_reason(anatomy, klass, monkeypatch):
    anatomy("batch", klass, "--out", "out", *LESSON)
    from grader.batch import order
    from grader.batch.fingerprint import Fingerprint, fingerprint

    def mended(course, lessons):
        return Fingerprint({**fingerprint(course, lessons).parts, "lesson normalization": "0" * 64})

    monkeypatch.setattr(order, "fingerprint", mended)
    done = anatomy("regrade", "out", "--format", "json")
    # The made verdict is the same, so no report has changed; but everything was judged again.
    assert json.loads(done.stdout)["graded"] == 2


def test_a_gradebook_that_is_locked_loses_nothing(anatomy, klass, tmp_path, hands, monkeypatch):
    anatomy("batch", klass, "--out", "out", *LESSON)
    monkeypatch.setattr(batching, "Gradebook", partial(Gradebook, patience=0.05))
    book = sqlite3.connect(tmp_path / "out" / "gradebook.sqlite")
    book.execute("BEGIN EXCLUSIVE")
    write(klass, {"cy/normalization.py": b"####"})
    done = anatomy("batch", klass, "--out", "out", *LESSON)
    assert (done.exit_code, done.stderr.count("Error: ")) == (2, 1)
    assert "Every verdict of this run stands in out/journal.jsonl" in done.stderr
    book.rollback()
    book.close()
    assert anatomy("batch", klass, "--out", "out", *LESSON).exit_code == 0
    assert hands.graded == ["ada", "bo", "cy"]
    assert "cy,4,18" in (tmp_path / "out" / "grades.csv").read_text()


def test_a_gradebook_that_goes_away_meanwhile_loses_nothing(anatomy, klass, tmp_path, hands, monkeypatch):
    def away(*_: object, **__: object) -> None:
        raise GradebookAway("The gradebook is gone.")

    monkeypatch.setattr(Gradebook, "record", away)
    done = anatomy("batch", klass, "--out", "out", *LESSON)
    assert done.exit_code == 2
    assert "Every verdict of this run stands in out/journal.jsonl" in done.stderr
    assert not (tmp_path / "out" / "grades.csv").exists()
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    done = anatomy("batch", klass, "--out", "out", *LESSON)
    assert done.stdout.startswith("2 students graded: 0 submissions now, 2 known from before.\n")
    assert hands.graded == ["ada", "bo"]
    assert "bo,10,18" in (tmp_path / "out" / "grades.csv").read_text()


def test_a_late_mark_and_a_due_date_reach_the_feedback(anatomy, tmp_path):
    late = handed("ada", 10, at=datetime.fromisoformat("2026-03-02T12:00:00+00:00"))
    export = gradescope(
        tmp_path / "export", [late, handed("bo", 10, at=datetime.fromisoformat("2026-03-01T12:00:00+00:00"))]
    )
    (tmp_path / "hw1.yaml").write_text(
        "id: hw1\ntitle: Homework 1\nlessons: [normalization]\n"
        "due: 2026-03-01 23:59\nzone: Europe/Zurich\nlate: {per_day: 10}\n"
    )
    done = anatomy("batch", export, "--out", "out", "--assignment", "hw1.yaml")
    assert done.exit_code == 0
    shown = json.loads(anatomy("gradebook", "show", "--out", "out", "--format", "json").stdout)
    assert {each["student"]: each["final"] for each in shown["students"]} == {"ada": 9, "bo": 10}
    assert "Homework 1" in (tmp_path / "out" / "feedback" / "ada.html").read_text()


def test_a_due_time_that_the_gradebook_knows_outlives_a_run_without_a_file(anatomy, tmp_path):
    late = handed("ada", 10, at=datetime.fromisoformat("2026-03-02T12:00:00+00:00"))
    export = gradescope(tmp_path / "export", [late])
    anatomy("batch", export, "--out", "out", *LESSON)
    (tmp_path / "due.yaml").write_text(
        "id: normalization\ntitle: Norms\nlessons: [normalization]\n"
        "due: 2026-03-01 23:59\nzone: Europe/Zurich\nlate: {per_day: 10}\n"
    )
    assert anatomy("gradebook", "assignments", "--set", "due.yaml", "--out", "out").exit_code == 0
    anatomy("batch", export, "--out", "out", *LESSON)
    shown = json.loads(anatomy("gradebook", "show", "--out", "out", "--format", "json").stdout)
    assert [each["final"] for each in shown["students"]] == [9]


def test_a_held_out_seed_is_in_no_page(anatomy, klass, tmp_path):
    (tmp_path / "seed").write_text("nobody guesses this")
    from grader.batch.order import secret_seed

    anatomy("batch", klass, "--out", "out", *LESSON, "--seed-file", "seed")
    seed = str(secret_seed(tmp_path / "seed"))
    pages = [
        *(tmp_path / "out" / "feedback").iterdir(),
        tmp_path / "out" / "overview.html",
        tmp_path / "out" / "grades.csv",
    ]
    assert all(seed not in page.read_text() for page in pages)


def test_a_fault_is_loud_and_costs_no_points(anatomy, klass, monkeypatch):
    def verdict(parcel):
        if parcel.names == ("ada",):
            raise Died
        return by_length(parcel)

    monkeypatch.setattr(Workplace, "hands", lambda self, lessons: MadeHands(verdict))
    done = anatomy("batch", klass, "--out", "out", *LESSON)
    assert done.exit_code == 3
    assert "1 submission met a fault of the grader's own, which costs no points" in done.stdout
    monkeypatch.setattr(Workplace, "hands", lambda self, lessons: MadeHands())
    assert anatomy("batch", klass, "--out", "out", *LESSON).exit_code == 0


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda path: path.mkdir(), "is empty"),
        (lambda path: write(path, {"IMG_1.jpg": b"\xff\xd8", "IMG_2.jpg": b"\xff\xd8"}), "was recognised"),
        (lambda path: None, "There is no"),
        (lambda path: path.write_bytes(b"no zip"), "no"),
        (lambda path: path.write_bytes(zipped({"a.zip": zipped({"a.zip": zipped({"a.zip": b""})})})), ""),
    ],
)
def test_what_holds_no_submissions_is_one_sentence(anatomy, tmp_path, made, says):
    made(tmp_path / "what.zip")
    done = anatomy("batch", tmp_path / "what.zip", "--out", "out", *LESSON)
    assert done.exit_code in (1, 2)
    assert says in done.stderr
    assert "Traceback" not in done.output


def test_an_output_folder_without_a_run_is_one_sentence(anatomy, tmp_path):
    done = anatomy("regrade", tmp_path)
    assert done.exit_code == 2
    assert "nothing was graded into that folder" in done.stderr


def test_what_travels_with_a_submission_is_kept_and_pooled(anatomy, tmp_path):
    files = {"normalization.py": b"###", "log/device.jsonl": b"{}\n"}
    klass = folders(tmp_path / "class", [Handed("ada", "Ada", files)])
    anatomy("batch", klass, "--out", "out", *LESSON)
    assert (tmp_path / "out" / "logs" / "ada.0.jsonl").read_bytes() == b"{}\n"
    write(klass, {"ada/log/device.jsonl": b"[]\n"})
    anatomy("regrade", "out")
    assert [path.read_bytes() for path in (tmp_path / "out" / "logs").iterdir()] == [b"[]\n"]


def test_a_late_mark_of_canvas_is_told_where_nobody_knows_how_late(anatomy, tmp_path):
    export = canvas(tmp_path / "export", [Handed("7", "Ada", {"normalization.py": b"###"}, late=True)])
    anatomy("batch", export, "--out", "out", *LESSON)
    with Journal(tmp_path / "out") as journal:
        [entry] = journal.entries()
    assert (entry.late, entry.submitted) == (True, None)


def test_a_damaged_download_takes_no_score_away(anatomy, tmp_path):
    export = as_zip(gradescope(tmp_path / "export", [handed("ada", 3), handed("bo", 10)]))
    anatomy("batch", export, "--out", "out", *LESSON)
    before = (tmp_path / "out" / "grades.csv").read_bytes()
    with zipfile.ZipFile(export) as archive:
        members = [each for each in archive.infolist() if each.filename.endswith(".py")]
    content = bytearray(export.read_bytes())
    for member in members:
        start = member.header_offset + 30 + len(member.filename)
        content[start : start + member.compress_size] = bytes(member.compress_size)
    export.write_bytes(content)
    done = anatomy("batch", export, "--out", "out", *LESSON)
    assert done.exit_code == 1
    assert (
        "Not readable on this machine now, so what stood before counts:\n  Ada (ada): export.zip is damaged"
        in done.stdout
    )
    assert (tmp_path / "out" / "grades.csv").read_bytes() == before
    done = anatomy("batch", export, "--out", "new", *LESSON)
    assert done.exit_code == 3
    assert (tmp_path / "new" / "grades.csv").read_text().splitlines()[1] == "ada,0,36,,,"


def test_options_that_are_left_out_stay_what_they_were(anatomy, klass, tmp_path):
    (tmp_path / "seed").write_text("nobody guesses this")
    anatomy("batch", klass, "--out", "out", *LESSON, "--seed-file", "seed", "--hide-expected")
    write(klass, {"cy/normalization.py": b"####"})
    anatomy("batch", klass, "--out", "out")
    order = Order.load(tmp_path / "out")
    assert (order.lessons, order.seed_file, order.hide_expected) == (
        ("normalization",), str(tmp_path / "seed"), True,
    )  # fmt: skip


@pytest.mark.parametrize(
    "other", [("--seed", "7"), ("--lesson", "objective"), ("--show-expected",), ("--db", "b.sqlite")]
)
def test_other_options_than_before_are_refused_unless_that_is_meant(anatomy, klass, hands, other):
    anatomy("batch", klass, "--out", "out", *LESSON, "--hide-expected")
    done = anatomy("batch", klass, "--out", "out", *other)
    assert done.exit_code == 2
    assert f"was graded otherwise: {other[0].replace('show', 'hide')}." in done.stderr
    assert anatomy("batch", klass, "--out", "out", *other, "--change").exit_code == 0


def test_a_due_time_changed_in_the_gradebook_outlives_the_file_it_came_from(anatomy, tmp_path):
    due = (
        "id: hw1\ntitle: Homework 1\nlessons: [normalization]\n"
        "due: 2026-03-01 23:59\nzone: Europe/Zurich\nlate: {per_day: 10}\n"
    )
    (tmp_path / "hw1.yaml").write_text(due)
    (tmp_path / "later.yaml").write_text(due.replace("10}", "20}"))
    late = handed("ada", 10, at=datetime.fromisoformat("2026-03-02T12:00:00+00:00"))
    export = gradescope(tmp_path / "export", [late])

    def final():
        shown = anatomy("gradebook", "show", "--out", "out", "--format", "json").stdout
        return [each["final"] for each in json.loads(shown)["students"]]

    anatomy("batch", export, "--out", "out", "--assignment", "hw1.yaml")
    assert final() == [9]
    anatomy("gradebook", "assignments", "--set", "later.yaml", "--out", "out")
    anatomy("regrade", "out")
    assert final() == [8]
    (tmp_path / "hw1.yaml").unlink()
    assert anatomy("regrade", "out").exit_code == 0
    assert final() == [8]


def test_results_are_not_written_among_the_submissions(anatomy, klass):
    for out in (klass, klass / "out"):
        done = anatomy("batch", klass, "--out", out, *LESSON)
        assert done.exit_code == 2
        assert "lies among the submissions" in done.stderr


def test_an_earlier_attempt_is_nothing_to_look_into(anatomy, tmp_path):
    export = canvas(tmp_path / "export", [handed("7", 3), handed("7", 5)])
    done = anatomy("batch", export, "--out", "out", *LESSON)
    assert done.exit_code == 0
    assert "Earlier attempts, which do not count:" in done.stdout
    assert "Refused" not in done.stdout


def test_a_lesson_that_nobody_handed_in_is_asked_about(anatomy, klass):
    done = anatomy("batch", klass, "--out", "out", "--lesson", "objective")
    assert "Nobody has handed in objective.py. Is another lesson meant?" in done.stdout


def test_students_who_are_gone_from_the_submissions_are_named(anatomy, klass):
    anatomy("batch", klass, "--out", "out", *LESSON)
    (klass / "bo" / "normalization.py").unlink()
    (klass / "bo").rmdir()
    done = anatomy("batch", klass, "--out", "out", *LESSON)
    assert "not among the submissions now; their points stay in the gradebook:\n  bo\n" in done.stdout
