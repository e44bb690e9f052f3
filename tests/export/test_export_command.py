"""`anatomy gradebook export` on a gradebook, and what it refuses."""

import csv
import errno
import hashlib
import io
import json
import sqlite3
import zipfile
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result
from export.importers import CanvasCourse, CanvasUser, MoodleAssignment, check_results, import_canvas, import_moodle
from export.made import HOSTILE, report

from grader.batch.entry import Entry, Key, scored
from grader.batch.handed_in import Student
from grader.cli.lazy import LazyCommand, LazyGroup
from grader.gradebook.assignment import Assignment
from grader.gradebook.book import Gradebook

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
NORMS = Assignment("norms", "Norms, and more", ("normalization",))
USERS = {101: "Ada", 102: HOSTILE[4], 103: "Zoë, B"}


ANATOMY = LazyGroup("anatomy", lazy_commands=[LazyCommand("gradebook_export", "Export.", function="export")])


def run(*words: object) -> Result:
    return CliRunner().invoke(ANATOMY, ["gradebook_export", *map(str, words)], catch_exceptions=False)


def entry(student: Student, made) -> Entry:
    digest = hashlib.sha256(student.id.encode()).hexdigest()
    key = Key(student.id, digest, "suite", "seed", "asked")
    return Entry(key, student, student.id, "there", NOW, NOW, False, digest, scored(made), {"engine": "1"})


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """The output folder of a batch run, with a gradebook of three students."""
    folder = tmp_path / "out"
    folder.mkdir()
    with Gradebook(folder / "gradebook.sqlite") as book:
        book.put(NORMS)
        pairs = [(Student(str(id_), name, "a@b"), report((10, 4))) for id_, name in USERS.items()]
        book.record("norms", [(entry(student, made), made) for student, made in pairs])
        book.override("norms", "103", None, Decimal("19.5"), "Ours.", "T.")
    return folder


def test_csv_is_a_table_of_all_lessons_exercises(out, tmp_path):
    done = run("--csv", "--out", out, "-o", tmp_path / "grades.csv", "--safe-cells")
    assert (done.exit_code, done.output) == (0, "")
    rows = list(csv.reader(io.StringIO((tmp_path / "grades.csv").read_text("utf-8"), newline="")))
    assert rows[0][:6] == [
        "student", "earned", "possible", "normalization.layer_norm", "normalization.rms_norm",
        "normalization.standardize",
    ]  # fmt: skip
    assert [row[0] for row in rows[1:]] == ["101", "102", "103"]
    assert rows[2][6] == f"'{HOSTILE[4]}"
    assert rows[3][8] == "19.5"


def test_canvas_and_moodle_take_their_templates_back(out, tmp_path):
    course = CanvasCourse([CanvasUser(id_, name) for id_, name in USERS.items()], {7: ("Norms", "20")})
    header = "Student,ID,SIS User ID,SIS Login ID,Section,Norms (7)\n    Points Possible,,,,,20\n"
    (tmp_path / "canvas.csv").write_text(header + "".join(f"x,{id_},,,A,\n" for id_ in USERS), "utf-8")
    done = run("--canvas", "--db", out / "gradebook.sqlite", "--template", tmp_path / "canvas.csv", "-o", "-")
    assert import_canvas(done.stdout_bytes, course).changes == {(101, 7): "14", (102, 7): "14", (103, 7): "19.5"}
    lines = "".join(f"Participant {id_},x,,,-,100,Yes,-,-,\n" for id_ in (101, 102, 999))
    header = "Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed,"
    header += "Last modified (submission),Last modified (grade),Feedback comments\n"
    (tmp_path / "moodle.csv").write_text(header + lines, "utf-8")
    done = run("--moodle", "--out", out, "--template", tmp_path / "moodle.csv", "-o", "-")
    assert import_moodle(done.stdout_bytes, MoodleAssignment({101, 102, 999})).grades == {101: 70, 102: 70}
    assert "Note: Graded, but not in the worksheet: 103." in done.stderr


def test_gradescope_feedback_and_junit_are_a_file_a_student(out, tmp_path):
    for style, ending in (("gradescope", ".json"), ("junit", ".xml"), ("feedback", ".html")):
        folder = tmp_path / style
        done = run(f"--{style}", "--out", out, "-o", f"{folder}/", "--visibility", "after_published")
        assert done.exit_code == 0, done.output
        assert sorted(path.name for path in folder.iterdir()) == [f"{id_}{ending}" for id_ in USERS]
    assert check_results((tmp_path / "gradescope" / "103.json").read_bytes())["score"] == 19.5
    assert "=cmd" in (tmp_path / "feedback" / "102.html").read_text("utf-8")


def test_junit_of_a_class_is_one_document(out, tmp_path):
    run("--junit", "--out", out, "-o", tmp_path / "class.xml")
    root = ET.parse(tmp_path / "class.xml").getroot()
    assert (root.get("name"), len(root)) == ("Norms, and more", 6)


def test_the_autograder_needs_no_gradebook_and_keeps_the_seed_file_secret(tmp_path):
    (tmp_path / "seed").write_text("a secret line")
    path = tmp_path / "autograder.zip"
    done = run(
        "--autograder", "--lesson", "heads", "--lesson", "attention", "--seed-file", tmp_path / "seed", "-o", path
    )
    assert done.exit_code == 0, done.output
    assert "It holds the answers and the hidden tests, and the held-out seed" in done.stderr
    with zipfile.ZipFile(path) as archive:
        task = json.loads(archive.read("assignment.json"))
    assert (task["lessons"], task["held_out"]) == (["attention", "heads"], True)
    assert task["seed"] > 2**32


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "Choose one of --csv, --canvas"),
        (["--csv", "--canvas"], "Choose one of"),
        (["--csv"], "Say which gradebook"),
        (["--csv", "--out", "nowhere"], "There is no folder 'nowhere'"),
        (["--csv", "--template", "x"], "--template is for --canvas and --moodle, not for --csv"),
        (["--moodle", "--column", "7"], "--column is for --canvas"),
        (["--junit", "--safe-cells"], "--safe-cells is for --csv, --canvas, --moodle"),
        (["--canvas", "--safe-cells", "--template", "x"], "stay as they were found"),
        (["--csv", "--seed", "3"], "are for --autograder only"),
        (["--autograder", "--assignment", "norms"], "The autograder needs no gradebook"),
        (["--autograder", "--seed", "3", "--seed-file", "x"], "Both --seed and --seed-file"),
        (["--autograder", "--lesson", "rotary"], "rotary"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(words, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*words, "-o", tmp_path / "file")
    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "file").exists()


def test_a_template_or_a_place_that_is_not_there_is_one_sentence(out, tmp_path):
    for words in (
        ["--canvas", "--template", tmp_path / "none.csv", "-o", tmp_path / "x"],
        ["--csv", "-o", tmp_path / "none" / "x"],
        ["--feedback", "-o", "-"],
        ["--gradescope", "-o", out / "gradebook.sqlite"],
        ["--csv", "--assignment", "other", "-o", "-"],
    ):
        done = run(*words, "--out", out)
        assert done.exit_code == 2
        assert done.stderr.startswith("Error: ")
        assert done.stderr.count("\n") == 1


def test_an_id_of_any_length_and_points_by_hand_alone_go_into_every_export(out, tmp_path):
    long = "n" * 1000
    with Gradebook(out / "gradebook.sqlite") as book:
        made = report()
        book.record("norms", [(entry(Student(long, "Long"), made), made)])
        book.override("norms", "104", None, Decimal(7), "Oral exam.", "T.", "Olga")
    for style, ending in (("gradescope", ".json"), ("junit", ".xml"), ("feedback", ".html")):
        done = run(f"--{style}", "--out", out, "-o", f"{tmp_path / style}/")
        assert done.exit_code == 0, done.output
        assert sorted(path.name[:3] for path in (tmp_path / style).iterdir()) == ["101", "102", "103", "104", "nnn"]
        assert (tmp_path / style / f"104{ending}").exists()
    assert check_results((tmp_path / "gradescope" / "104.json").read_bytes())["score"] == 7
    page = (tmp_path / "feedback" / "104.html").read_text("utf-8")
    assert "by T." in page
    assert "Oral exam." not in page  # the reason is for whoever keeps the book
    for style in ("overview", "csv", "canvas", "moodle"):
        assert run(f"--{style}", "--out", out, "-o", tmp_path / f"{style}.file").exit_code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "csv.file").read_text("utf-8"), newline="")))
    olga = rows[3]
    assert (olga["student"], olga["name"], olga["final"], olga["status"]) == ("104", "Olga", "7", "by hand")
    assert (olga["earned"], olga["possible"]) == ("0", "36")


def test_a_damaged_record_leaves_out_one_grade_and_stops_no_export(out, tmp_path):
    with sqlite3.connect(out / "gradebook.sqlite") as connection:
        connection.execute("update gradings set report = x'00' where student = '102'")
    connection.close()
    for style in ("csv", "canvas", "moodle", "overview", "junit"):
        done = run(f"--{style}", "--out", out, "-o", tmp_path / style)
        assert done.exit_code == 0, done.output
    assert "a damaged record is in the way: 102." in run("--canvas", "--out", out, "-o", "-").stderr
    assert "102" not in (tmp_path / "canvas").read_text("utf-8")
    for style in ("gradescope", "feedback"):
        assert run(f"--{style}", "--out", out, "-o", tmp_path / "files").exit_code == 0
    assert "score" not in check_results((tmp_path / "files" / "102.json").read_bytes())
    assert "record of this grading is damaged" in (tmp_path / "files" / "102.html").read_text("utf-8")


def test_a_full_disk_and_a_file_in_place_of_a_folder_are_told_as_such(out, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("x")
    done = run("--gradescope", "--out", out, "-o", tmp_path / "file")
    assert "file is a file, and --gradescope writes a file a student. Name a folder" in done.stderr

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    done = run("--csv", "--out", out, "-o", tmp_path / "grades.csv")
    assert done.stderr.endswith(
        "grades.csv cannot be written: the disk is full. Make room or choose another disk, and run this again.\n"
    )
    assert not (tmp_path / "grades.csv").exists()
