"""A student at work in a bundle: every command that it has, and none that it has not."""

import json
import re
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from nightly import NIGHTLY, share
from students import Bundle, Student, Verdict

from grader.cli import COMMANDS
from grader.course.load import load_course
from grader.edition import COMMANDS as IN_A_BUNDLE
from grader.places import clone_folder
from grader.records.clock import NOW_VARIABLE
from grader.review.questions.draw import seed_that_counts
from grader.review.questions.load import load_quiz

REFERENCE = Path(__file__).parents[2] / "reference"
ABSENT = sorted({command.name for command in COMMANDS} - IN_A_BUNDLE)
Begin = Callable[[], Student]

WITHOUT = """
import importlib.util, grader, sys
print(grader.__file__)
for name in ("reference", "grader.misconceptions", "grader.variations", "grader.selfcheck", "grader.batch",
             "grader.gradebook", "grader.release", "grader.capstone", "grader.lab.depth", "grader.cli.solution"):
    print(name, importlib.util.find_spec(name))
"""


def test_the_course_cannot_be_imported(bundle: Bundle, tmp_path: Path) -> None:
    """Or else nothing here would show anything."""
    where, *found = bundle.run(WITHOUT, at=tmp_path, home=tmp_path).stdout.splitlines()
    assert Path(where).is_relative_to(bundle.root)
    assert clone_folder() not in Path(where).parents
    assert len(found) == 10
    assert all(line.endswith(" None") for line in found), found


def test_help_names_what_is_there(bundle: Bundle, newcomer: Begin) -> None:
    text = newcomer().anatomy("--help").stdout
    offered = [line.split()[0] for line in text.partition("Commands:")[2].splitlines() if line.startswith("  ")]
    assert set(offered) - {"First"} == IN_A_BUNDLE
    assert {"solution", "check", "run", "lab", "release"} <= set(ABSENT)


def test_what_is_not_there_says_so_in_a_sentence(newcomer: Begin) -> None:
    student = newcomer()
    for command in ABSENT:
        done = student.anatomy(command)
        assert done.returncode == 2
        assert done.stderr.startswith(f"Error: `anatomy {command}` is not in the student's edition")
        assert len(done.stderr.splitlines()) == 1


def test_a_workspace_has_every_stub_and_page(released: Path, newcomer: Begin) -> None:
    student = newcomer()
    for lesson in load_course().lessons:
        stub = (student.workspace / "student" / f"{lesson.slug}.py").read_bytes()
        assert stub == (released / "student" / f"{lesson.slug}.py").read_bytes()
        assert (student.workspace / "lessons" / lesson.slug / "lesson.md").read_bytes() == lesson.page.read_bytes()
    assert "anatomy solution" not in (student.workspace / "README.md").read_text("utf-8")


def test_stubs_score_nothing(verdicts: dict[str, Verdict]) -> None:
    report = verdicts["stubs"].report
    assert report["public"]
    assert (report["earned"], len(report["exercises"])) == (0, 60)
    assert {each["status"] for each in report["exercises"]} == {"not_started"}


def test_right_functions_pass_all_public_checks(verdicts: dict[str, Verdict]) -> None:
    report, course = verdicts["right"].report, load_course()
    assert [each["id"] for each in report["exercises"] if each["status"] != "passed"] == []
    assert report["earned"] == report["possible"] == course.points
    assert [each["id"] for each in report["exercises"] if not 2 <= len(each["tests"]) <= 6] == []


def test_a_wrong_function_is_shown_its_first_difference(verdicts: dict[str, Verdict]) -> None:
    """No mistake is named, and what rests on it is told where to begin."""
    verdict = verdicts["wrong"]
    wrong = verdict.result("normalization.standardize")
    assert (wrong["status"], wrong["earned"], wrong["misconception"]) == ("failed", 0, None)
    assert "yours: [[" in wrong["evidence"]
    assert "expected: [[" in wrong["evidence"]
    assert "It rests on `normalization.standardize`" in verdict.result("normalization.layer_norm")["notes"][0]
    assert "These are the public checks; your instructor's grading asks more." in verdict.text


def test_a_function_on_top_of_a_stub_is_told_so(verdicts: dict[str, Verdict]) -> None:
    result = verdicts["on a stub"].result("training.sequence_loss")
    assert result["status"] == "error"
    assert result["message"].startswith("It rests on `objective.")


def test_a_law_has_no_recorded_answer_and_needs_none(verdicts: dict[str, Verdict]) -> None:
    raised = verdicts["raises in a law"].result("lab.kv_cache_bytes")
    assert raised["status"] == "partial"
    assert "raised ZeroDivisionError" in raised["evidence"]
    assert "expected" not in raised["evidence"]
    changed = verdicts["writes into x"].result("heads.split_heads")
    assert changed["status"] == "partial"
    assert "changes its arguments" in changed["message"]


def test_the_command_grades_records_and_completes(newcomer: Begin) -> None:
    student = newcomer()
    student.hand_in_the_reference(REFERENCE, "normalization")
    done = student.anatomy("grade", "normalization")
    assert done.returncode == 0, done.stderr
    assert "36 of 36 points. These are the public checks" in done.stdout
    assert "Lesson normalization is complete" in done.stderr
    assert student.anatomy("status").stdout.startswith("3 of 60 exercises passed.")
    named_elsewhere(student)


def named_elsewhere(student: Student) -> None:
    """Records of a whole course may come along; its mistakes and faults cannot be asked about here."""
    log = next((student.home / "log").glob("*.jsonl"))
    text = log.read_text("utf-8")
    named = text.replace('"misconception":null', '"misconception":"normalization.rms_norm.mean-removed"', 1)
    assert named != text
    log.write_text(named, "utf-8")
    student.elsewhere().anatomy("quiz", "normalization")
    (session,) = [event for event in student.events() if event["type"] == "session"]
    assert not [item for item in session["payload"]["items"] if "/" in item["item"]]


def test_another_seed_is_refused(newcomer: Begin) -> None:
    done = newcomer().anatomy("grade", "normalization", "--seed", "2")
    assert (done.returncode, done.stdout) == (2, "")
    assert "use --seed 1, or leave it out" in done.stderr


def test_hints_reset_and_short_commands(newcomer: Begin) -> None:
    student = newcomer()
    assert student.anatomy("hint", "normalization.rms_norm").stdout.startswith("Hint 1 of ")
    student.hand_in_the_reference(REFERENCE, "normalization")
    assert "is its stub again" in student.anatomy("reset", "normalization.rms_norm").stdout
    for command in ("list", "status", "due", "stats", "settings"):
        done = student.anatomy(command)
        assert done.returncode == 0, done.stderr
    assert "2026-03-01" in student.anatomy("complete", "heads").stdout
    assert student.anatomy("calendar", "-o", "reviews.ics").returncode == 0


def right_answer(bundle: Bundle, lesson: str, asked: dict[str, Any]) -> list[str]:
    """The lines to type for an item of a session, from the keys that the bundle holds."""
    keys = json.loads((bundle.root / f"grader/_data/bundle/keys/{lesson}.json").read_text("utf-8"))["questions"]
    question = next(each for each in load_quiz(load_course().lesson(lesson)) if each.id == asked["item"])
    place = int(seed_that_counts(replace(question, pool=20), asked["seed"]))
    value = keys[question.id]["keys"][place][0]
    if question.kind == "explain":
        return ["because", "all"]
    if question.kind in ("choice", "multi", "order"):
        return [" ".join(map(str, value))]
    if question.kind == "short":
        return [str(value[0])]
    return [", ".join(value) if isinstance(value, list) else repr(value) if question.kind == "numeric" else str(value)]


def test_own_functions_are_asked_without_a_reference(judged: tuple[Any, list[list[Any]]]) -> None:
    _, own = judged
    assert len(own) >= 3
    for item, given, right in own:
        assert given == pytest.approx(right, rel=1e-6), item


@pytest.mark.parametrize("lesson", share(sorted(lesson.slug for lesson in load_course().lessons), of=11))
def test_a_quiz_takes_the_recorded_answers(bundle: Bundle, newcomer: Begin, lesson: str) -> None:
    """Begun, stopped at once, and gone on with: the questions are known from the log then."""
    student = newcomer()
    if NIGHTLY:  # own functions are asked as well, which takes a sandbox
        student.hand_in_the_reference(REFERENCE, lesson)
    else:
        student = student.elsewhere()
    assert student.elsewhere().anatomy("quiz", lesson).returncode == 1
    (session,) = [event for event in student.events() if event["type"] == "session"]
    items = session["payload"]["items"]
    assert len(items) == 8
    assert not [item for item in items if "/" in item["item"]]
    typed = "\n".join(line for item in items for line in right_answer(bundle, lesson, item))
    done = student.anatomy("quiz", lesson, typed=typed + "\n")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("Right.") + done.stdout.count("Good:") >= 8, done.stdout


def test_a_review_comes_back_the_day_after(newcomer: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    student = newcomer()
    student.anatomy("complete", "heads")
    student = student.elsewhere()  # where no functions are, none are asked
    monkeypatch.setenv(NOW_VARIABLE, "2026-03-02T12:00:00+01:00")
    done = student.anatomy("review", typed=".\n")
    assert "heads, rung 1 of 5: question 1 of 8" in done.stdout
    assert "The answer: " in done.stdout or "Not in your explanation" in done.stdout or "Which of" in done.stdout
    assert "answers are kept" in done.stdout


def test_what_is_handed_in_is_what_is_graded(newcomer: Begin, tmp_path: Path) -> None:
    student = newcomer()
    student.hand_in_the_reference(REFERENCE, "normalization")
    student.anatomy("hint", "heads.split_heads")
    done = student.anatomy("submit", "-o", str(tmp_path / "mine.zip"), "--with-log")
    assert done.returncode == 0, done.stderr
    assert re.search(r"student/normalization\.py +all 3 written", done.stdout)
    with zipfile.ZipFile(tmp_path / "mine.zip") as archive:
        assert archive.read("student/normalization.py") == (REFERENCE / "normalization.py").read_bytes()
        (log,) = [name for name in archive.namelist() if name.startswith("log/")]
        assert archive.read(log).count(b'"hint"') == 1


def test_the_bundle_itself_is_a_workspace(released: Path, bundle: Bundle, tmp_path: Path) -> None:
    """`anatomy grade` in the unpacked folder, as its README says."""
    student = Student(bundle, tmp_path / "unpacked", tmp_path / "own")
    shutil.copytree(released, student.workspace, ignore=shutil.ignore_patterns("grader"))
    done = student.anatomy("grade")
    assert done.returncode == 1
    assert "0 of 878 points: nothing is written yet" in done.stdout
