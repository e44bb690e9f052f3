"""`anatomy grade`, `check` and `doctor` as a person runs them: whole processes, exact exit codes.

Where only the verdict counts, and not how the process starts, it is one that has torch already, with a zygote that runs
already (`warm`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from nightly import NIGHTLY
from warm import WarmPython

from grader.course.load import load_course
from grader.course.stubs import stub_source
from grader.places import reference_folder

ANATOMY = [sys.executable, "-m", "grader.cli"]
JOBS = () if NIGHTLY else ("--jobs", "1")
"""Each process more has torch to import, twice."""


def anatomy(*words: str, cwd: Path, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*ANATOMY, *words], cwd=cwd, capture_output=True, text=True, check=False, timeout=120, **options
    )


@pytest.fixture
def warm(warm_python: WarmPython) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The same in a process that need not import torch, with a zygote that need not either."""
    return lambda *words, **options: warm_python.run("-m", "grader.cli", *words, **{"lend": True, **options})


def stubs(root: Path) -> Path:
    """A learner's folder with untouched stubs."""
    (root / "student").mkdir(parents=True)
    for lesson in load_course().lessons:
        (root / "student" / f"{lesson.slug}.py").write_text(stub_source(lesson), "utf-8")
    return root


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return stubs(tmp_path / "ws")


def answer(workspace: Path, slug: str) -> None:
    text = (reference_folder() / f"{slug}.py").read_text("utf-8")
    (workspace / "student" / f"{slug}.py").write_text(text, "utf-8")


def test_someone_who_has_done_nothing_gets_a_first_page_and_exit_code_1(workspace):
    done = anatomy("grade", cwd=workspace)
    assert done.returncode == 1
    for part in ("0 of", "lessons/objective/lesson.md", "student/objective.py", "anatomy grade objective.embed"):
        assert part in done.stdout
    assert done.stderr == ""


def test_the_first_page_does_not_wait_for_torch(workspace):
    script = (
        "import sys; from grader.cli import main; main(['grade'], standalone_mode=False); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=workspace, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1:] == ["False"] or "False" in done.stdout


def test_a_lesson_that_passes_ends_with_0_and_stands_in_the_status(workspace):
    answer(workspace, "normalization")
    done = anatomy("grade", "normalization", cwd=workspace)
    assert done.returncode == 0, done.stdout + done.stderr
    status = json.loads(anatomy("status", "--format", "json", cwd=workspace).stdout)
    assert "normalization" in json.dumps(status)
    shown = anatomy("solution", "normalization.rms_norm", cwd=workspace)
    assert shown.returncode == 0
    assert "def rms_norm" in shown.stdout


def test_somebody_elses_work_is_graded_but_not_logged(workspace, tmp_path, warm):
    answer(workspace, "normalization")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = warm("grade", "normalization.rms_norm", "--student", str(workspace / "student"), cwd=elsewhere)
    assert done.returncode == 0
    assert anatomy("solution", "normalization.rms_norm", cwd=workspace).returncode == 2


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory, warm_python: WarmPython) -> dict[str, str]:
    """One right lesson reported in every form; the page in HTML goes to a file, the others are printed."""
    root = stubs(tmp_path_factory.mktemp("forms") / "ws")
    answer(root, "normalization")
    page = root / "report.html"
    options = {
        "text": ["normalization.rms_norm"],
        "json": ["normalization", "--seed", "5"],
        "junit": ["normalization.rms_norm"],
        "html": ["normalization.rms_norm", "-o", str(page)],
    }
    printed = {}
    for style, words in options.items():
        env = {**os.environ, "ANATOMY_HOME": str(root / "home")}
        done = warm_python.run("-m", "grader.cli", "grade", *words, "--format", style, cwd=root, env=env, lend=True)
        assert done.returncode == 0, done.stdout + done.stderr
        printed[style] = done.stdout
    assert printed["html"] == ""
    return {**printed, "html": page.read_text("utf-8")}


def test_json_junit_and_html_are_complete_documents(forms):
    document = json.loads(forms["json"])
    assert (document["version"], document["seed"]) == (1, 5)
    assert [exercise["id"] for exercise in document["exercises"]] == [
        "normalization.layer_norm", "normalization.rms_norm", "normalization.standardize",
    ]  # fmt: skip
    assert forms["html"].startswith("<!doctype html>")
    assert ET.fromstring(forms["junit"]).find("testsuite/testcase") is not None


def test_the_level_of_protection_stands_in_every_form_of_a_report(forms):
    level = json.loads(forms["json"])["level"]
    assert level in ("strong", "standard", "weak")
    for style in ("text", "html"):
        assert f"Protection: {level} (process-split, " in forms[style]
    assert f'<property name="level" value="{level}" />' in forms["junit"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["grade", "normalizaton"], "Did you mean normalization?"),
        (["grade", "normalization.rmsnorm"], "rms_norm"),
        (["grade", "--student", "nowhere"], "nowhere"),
        (["grade", "--seed", "-1"], "--seed"),
        (["grad"], "grade"),
        (["check", "no-such-lesson"], "no-such-lesson"),
    ],
)
def test_a_mistyped_command_gets_one_clear_sentence_and_exit_code_2(workspace, words, says):
    done = anatomy(*words, cwd=workspace)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_no_workspace_says_how_to_make_one(tmp_path):
    done = anatomy("grade", cwd=tmp_path)
    assert done.returncode == 2
    assert "anatomy start" in done.stderr


def test_a_report_that_cannot_be_written_says_so_without_a_traceback(workspace):
    done = anatomy("grade", "-o", str(workspace / "no" / "such" / "file"), cwd=workspace)
    assert done.returncode == 2
    assert "no/such/file" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_log_that_cannot_be_written_hides_no_verdict(workspace, tmp_path, warm):
    in_the_way = tmp_path / "a-file"
    in_the_way.write_text("not a folder", "utf-8")
    answer(workspace, "normalization")
    done = warm("grade", "normalization.rms_norm", cwd=workspace, env={**os.environ, "ANATOMY_HOME": str(in_the_way)})
    assert done.returncode == 0
    assert "12/12" in done.stdout or "passed" in done.stdout
    assert "Note:" in done.stderr


def test_pytest_settings_of_the_person_do_not_leak_into_the_suites(workspace, warm):
    answer(workspace, "normalization")
    env = {**os.environ, "PYTEST_ADDOPTS": "--no-such-option", "PYTEST_PLUGINS": "no_such_plugin"}
    (workspace / "pytest.ini").write_text("[pytest]\naddopts = --collect-only\n", "utf-8")
    (workspace / "conftest.py").write_text("raise SystemExit('conftest ran')\n", "utf-8")
    assert warm("grade", "normalization.rms_norm", cwd=workspace, env=env).returncode == 0


def test_watch_grades_again_when_a_file_is_saved(workspace, tmp_path):
    transcript = tmp_path / "transcript"

    def seen(word: str) -> bool:
        return word in transcript.read_text("utf-8")

    with transcript.open("w") as file:
        process = subprocess.Popen(
            [*ANATOMY, "grade", "normalization.rms_norm", "--watch"], cwd=workspace, stdout=file, stderr=file
        )
        try:
            wait_until(lambda: seen("Watching"))
            # The watcher may not have registered when it says so: save until it has noticed.
            wait_until(lambda: answer(workspace, "normalization") or seen("All right"))
        finally:
            process.terminate()
            process.wait(10)


def wait_until(condition, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.2)


def test_the_course_proves_a_lesson(tmp_path, warm):
    done = warm("check", "normalization", *JOBS, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 problems" in done.stdout


def test_doctor_says_what_is_on_and_what_is_not(workspace, warm):
    done = warm("doctor", cwd=workspace, lend=False)
    assert done.returncode == 0, done.stdout + done.stderr
    words = done.stdout.split()
    assert "protection" in words
    assert {"strong:", "standard:", "weak:"} & set(words)
    assert "proof" in words
    assert len(done.stdout.splitlines()) <= 12


def test_doctor_has_a_form_for_programs(workspace, warm):
    done = warm("doctor", "--format", "json", cwd=workspace)
    found = json.loads(done.stdout)
    assert found["protection"]["level"] in ("strong", "standard", "weak")
    assert {"name", "held", "detail"} == set(found["protection"]["findings"][0])
    assert all(line["state"] in ("ok", "off", "BAD") for line in found["lines"])


def test_code_that_would_kill_the_maker_of_workers_is_refused_like_any_other_error(workspace, warm):
    source = "def rms_norm(x, weight, eps=1e-6):\n    import os, signal\n    os.kill(os.getppid(), signal.SIGKILL)\n"
    (workspace / "student" / "normalization.py").write_text(source, "utf-8")
    done = warm("grade", "normalization.rms_norm", cwd=workspace, lend=False)  # lest it succeed
    assert done.returncode == 1
    assert "PermissionError" in done.stdout
    assert "Traceback" not in done.stderr
