"""What the autograder does in its container when little is as it should be. No submitted code runs here."""

import json
from pathlib import Path

import pytest
from export.importers import check_results
from export.made import report

import grader.desk
from grader.course.load import load_course
from grader.course.stubs import stub_source
from grader.errors import GraderFault
from grader.export.autograding import NO_VERDICT, USAGE, VERDICT, main
from grader.export.task import Task
from grader.grading import Grader
from grader.sandbox.proof import Protection

LESSON = "normalization"
SEED = 918273645


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Laid out as Gradescope does, with an empty submission."""
    for name in ("source", "submission", "results"):
        (tmp_path / "autograder" / name).mkdir(parents=True)
    made = tmp_path / "autograder"
    (made / "source" / "assignment.json").write_bytes(Task((LESSON,), SEED, held_out=True).to_json())
    return made


def grade(root: Path) -> tuple[int, dict]:
    code = main([str(root)])
    content = (root / "results" / "results.json").read_bytes()
    assert str(SEED).encode() not in content
    assert [path.name for path in (root / "results").iterdir()] == ["results.json"]
    return code, check_results(content)


def stubs(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{LESSON}.py").write_text(stub_source(load_course().lesson(LESSON)), "utf-8")


def begun(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{LESSON}.py").write_text("def rms_norm(x, gain, eps=1e-5):\n    return x\n", "utf-8")


def fake_desk(monkeypatch, act) -> None:
    def at_desk(course, submission, exercises, options, body, accept):
        def opened(grader):
            accept(grader.protection())
            return body(grader)

        return act(opened)

    monkeypatch.setattr(grader.desk, "at_desk", at_desk)


def test_an_empty_submission_earns_nothing_and_is_told_what_to_hand_in(root):
    code, document = grade(root)
    assert (code, document["score"]) == (VERDICT, 0)
    assert "No lesson file such as objective.py was found" in document["output"]


@pytest.mark.parametrize("where", ["", "student", "repository/student", "my work/zip/student"])
def test_modules_are_found_where_a_zip_or_a_repository_puts_them(root, where):
    stubs(root / "submission" / where)
    (root / "submission" / "__MACOSX").mkdir()
    code, document = grade(root)
    assert (code, document["score"]) == (VERDICT, 0)
    assert [test["output"] for test in document["tests"]] == ["not started"] * 3


def test_two_folders_of_modules_are_not_guessed_between(root):
    stubs(root / "submission" / "old")
    stubs(root / "submission" / "new")
    code, document = grade(root)
    assert (code, document["score"]) == (VERDICT, 0)
    assert "There are lesson files in new/ and old/: which ones count?" in document["output"]


def test_links_are_not_followed(root, tmp_path):
    stubs(tmp_path / "elsewhere")
    (root / "submission" / "student").symlink_to(tmp_path / "elsewhere")
    assert "No lesson file" in grade(root)[1]["output"]


def no_folder(root: Path) -> None:
    (root / "submission").rmdir()


def a_file_for_a_folder(root: Path) -> None:
    (root / "submission").rmdir()
    (root / "submission").write_text("no folder")


def no_assignment(root: Path) -> None:
    (root / "source" / "assignment.json").unlink()


def an_unknown_lesson(root: Path) -> None:
    (root / "source" / "assignment.json").write_bytes(Task(("rotary",)).to_json())


@pytest.mark.parametrize("damage", [no_folder, a_file_for_a_folder, no_assignment, an_unknown_lesson])
def test_what_is_no_fault_of_the_students_has_no_score_and_another_exit_code(root, damage, capsys):
    damage(root)
    code, document = grade(root)
    assert code == NO_VERDICT
    assert "score" not in document
    assert "No points were lost" in document["output"]
    assert "Traceback" in capsys.readouterr().out


@pytest.mark.parametrize("error", [GraderFault("no worker"), MemoryError(), RecursionError(), OSError("disk \x1b[2J")])
def test_a_grader_that_fails_leaves_a_sentence_and_no_score(root, monkeypatch, capsys, error):
    begun(root / "submission")

    def act(body):
        raise error

    fake_desk(monkeypatch, act)
    code, document = grade(root)
    assert (code, "score" in document) == (NO_VERDICT, False)
    shown = capsys.readouterr().out
    assert type(error).__name__ in shown
    assert "\x1b" not in shown


class AtDesk:
    """Stands in for the grader at its desk."""

    def __init__(self, made, level="standard") -> None:
        self.made, self.level = made, level

    def protection(self) -> Protection:
        return type("Proof", (), {"level": self.level})()

    def grade(self, *_) -> Grader:
        return self.made


def test_a_fault_in_one_exercise_is_no_score_either(root, monkeypatch):
    begun(root / "submission")
    fake_desk(monkeypatch, lambda body: body(AtDesk(report((10, 0), status="grader_fault"))))
    code, document = grade(root)
    assert (code, "score" in document, "tests" in document) == (NO_VERDICT, False, False)


def test_code_is_not_run_behind_a_weak_protection_unless_the_assignment_says_so(root, monkeypatch, capsys):
    begun(root / "submission")
    fake_desk(monkeypatch, lambda body: body(AtDesk(report(), "weak")))
    assert grade(root)[0] == NO_VERDICT
    assert "--allow-weak" in capsys.readouterr().out
    (root / "source" / "assignment.json").write_bytes(Task((LESSON,), SEED, True, allow_weak=True).to_json())
    assert grade(root)[0] == VERDICT


def test_what_gradescope_knows_of_the_submission_is_used(root, monkeypatch):
    begun(root / "submission")
    fake_desk(monkeypatch, lambda body: body(AtDesk(report())))
    metadata = {
        "id": 4711,
        "created_at": "2026-03-02T01:00:00.365935-07:00",
        "assignment": {"due_date": "2026-03-01T23:00:00.000000-07:00"},
        "users": [{"name": "Ada \x1b[31m", "email": "a@b", "id": 1}, {"name": None}, 3],
        "previous_submissions": [],
    }
    (root / "submission_metadata.json").write_text(json.dumps(metadata), "utf-8")
    code, document = grade(root)
    assert (code, document["score"]) == (VERDICT, 14)
    assert "Handed in 2:00:00 after the due date." in document["output"]
    assert document["extra_data"]["submission"] == "4711"
    assert document["extra_data"]["late_seconds"] == 7200


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b'{"users": 3, "created_at": 7}', b'{"assignment": {}}'])
def test_metadata_that_cannot_be_read_changes_no_verdict(root, monkeypatch, content):
    begun(root / "submission")
    fake_desk(monkeypatch, lambda body: body(AtDesk(report())))
    (root / "submission_metadata.json").write_bytes(content)
    assert grade(root)[1]["score"] == 14


def test_the_image_is_not_built_for_an_assignment_that_cannot_be_graded(root, capsys):
    assert main(["--check", str(root)]) == VERDICT
    assert capsys.readouterr().out == "Ready: 3 exercises, 36 points.\n"
    an_unknown_lesson(root)
    assert main(["--check", str(root)]) == USAGE
    assert main([]) == USAGE
    assert "rotary" in capsys.readouterr().out
