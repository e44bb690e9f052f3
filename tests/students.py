"""A student at work in a bundle: programs that find the bundle's engine and the libraries, and nothing of the course.

Each is forked from one process that has imported torch and the bundle's grader, and has a records folder of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warm import WarmPython

ANATOMY = """
import io, sys
sys.stdin = io.StringIO(sys.argv.pop(1))
from grader.cli import main
main(prog_name="anatomy")
"""


JUDGE = """
import json, sys
from pathlib import Path
from grader.course.load import load_course
from grader.grading import Grader
from grader.places import cache_folder
from grader.render.text import render
from grader.review.born.own import own_value
from grader.review.questions.draw import draw
from grader.review.questions.load import load_quiz
from grader.review.questions.marking import called_exercise, key
from grader.review.questions.recorded import oracle_here
from grader.sandbox import Zygote
from grader.session import with_suites
from grader.workspace import read_submission

course = load_course()
with Zygote() as zygote:
    def body(suites):
        grader = Grader(course, suites, zygote, cache=cache_folder())
        for folder, targets in json.loads(sys.argv[1]):
            exercises = [e for target in targets for e in course.resolve(target)] or course.exercises
            report = grader.grade(read_submission(Path(folder), course), exercises)
            print(json.dumps({"report": report.to_dict(), "text": render(report, course)}))
        for question in load_quiz(course.lesson("normalization")):
            drawn = draw(question, "learner-1")
            if (exercise := called_exercise(question, course)) is not None:
                own = own_value(drawn, exercise, course, zygote, read_submission(Path(folder), course).sources())
                right = key(drawn, oracle_here()).value
                print(json.dumps({"own": [question.id, own.value, right]}))
        return 0
    with_suites([lesson.slug for lesson in course.lessons], body)
"""
"""Several gradings in one process: each `anatomy grade` would import torch once more for its zygote."""


@dataclass(frozen=True)
class Verdict:
    """A report as JSON and as text."""

    report: dict[str, Any]
    text: str

    def result(self, exercise: str) -> dict[str, Any]:
        """What it says of one exercise."""
        return next(each for each in self.report["exercises"] if each["id"] == exercise)


@dataclass(frozen=True)
class Bundle:
    """A released bundle and the process that runs it."""

    root: Path
    python: WarmPython

    def run(self, program: str, *arguments: str, at: Path, home: Path) -> subprocess.CompletedProcess[str]:
        """A program with this folder and these records."""
        env = {**os.environ, "ANATOMY_HOME": str(home), "OMP_NUM_THREADS": "1"}
        return self.python.run("-c", program, *arguments, cwd=at, env=env)

    def judge(self, jobs: Sequence[tuple[Path, Sequence[str]]], home: Path) -> tuple[list[Verdict], list[list[Any]]]:
        """Grade these folders, each for these lessons and exercises (none: all).

        Also what the functions in the last of them give for the questions of a quiz: item, own number, recorded one.
        """
        asked = json.dumps([[str(folder), list(targets)] for folder, targets in jobs])
        done = self.run(JUDGE, asked, at=home, home=home)
        assert done.returncode == 0, done.stderr
        said = [json.loads(line) for line in done.stdout.splitlines()]
        return [Verdict(**each) for each in said if "report" in each], [each["own"] for each in said if "own" in each]


@dataclass
class Student:
    """A workspace and records of one student's own. The proof of the sandbox is shared: it is made once a machine."""

    bundle: Bundle
    workspace: Path
    home: Path

    def anatomy(self, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """What `anatomy ...` does in the workspace, with this typed."""
        self.workspace.mkdir(parents=True, exist_ok=True)
        return self.bundle.run(ANATOMY, typed, *arguments, at=self.workspace, home=self.home)

    def start(self) -> None:
        done = self.anatomy("start")
        assert done.returncode == 0, done.stderr

    def write(self, lesson: str, text: str) -> None:
        (self.workspace / "student" / f"{lesson}.py").write_text(text, encoding="utf-8")

    def hand_in_the_reference(self, reference: Path, *lessons: str) -> None:
        for lesson in lessons:
            shutil.copy(reference / f"{lesson}.py", self.workspace / "student" / f"{lesson}.py")

    def elsewhere(self) -> Student:
        """The same student in a folder that is no workspace."""
        return Student(self.bundle, self.home / "elsewhere", self.home)

    def events(self) -> list[dict[str, Any]]:
        """What is recorded so far."""
        files = sorted((self.home / "log").glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
