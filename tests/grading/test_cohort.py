"""A class of 300 (by day 100): every score is what grading alone gives, and whatever was refused is named."""

from __future__ import annotations

import csv
import json
import random
from itertools import cycle, islice
from pathlib import Path

import made_exports
import pytest
from made_exports import BUILDERS, DIGITS_ONLY, Handed, as_zip
from nightly import NIGHTLY, share

from grader.batch.hands import LocalHands
from grader.batch.order import Order
from grader.cli.batching import Done, Workplace, carry_out
from grader.course.load import load_course
from grader.grading import flawed_function
from grader.report import Report
from grader.review.born.faults import code_of

LESSON = "normalization"
EXERCISES = load_course().lesson(LESSON).exercises
ANSWERS = Path(__file__).parents[1] / "answers"
STUDENTS = 300 if NIGHTLY else 60
NAMES = (
    "Ann Lee", "Zo\u00eb M\u00fcller", "O'Brien \"Bo\"", "=cmd() x", "+41 79", "@here", "-1", "<b>Eve</b>", "a" * 200,
    "\u674e\u660e", "Ann Lee", "two  spaces", "{{ 7 * 7 }}", "semi;colon, comma", "\U0001f600 smile",
)  # fmt: skip


@pytest.fixture(scope="module")
def texts(with_functions, answers, stubs) -> dict[str, bytes]:
    """What people hand in for the lesson, by a name for it."""
    found = {"right": answers[LESSON], "stub": stubs[LESSON], "empty": "", "broken": "def rms_norm(:\n"}
    for kind in ("right", "wrong"):
        for path in share(sorted((ANSWERS / kind).glob(f"{LESSON}.*.py")), of=2):
            exercise = ".".join(path.name.split(".")[:2])
            found[f"{kind} {path.stem}"] = with_functions({exercise: path.read_text("utf-8")})[LESSON]
    for exercise in EXERCISES:
        flawed = flawed_function(exercise)
        assert flawed is not None
        for mistake in share(flawed.misconceptions, of=4):
            if code := code_of(flawed, (mistake.name,)):
                source = (
                    f"import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import Tensor\n{code.text}"
                )
                found[f"{exercise.name} {mistake.name}"] = with_functions({exercise.id: source})[LESSON]
    hostile = {
        "ends": "__import__('os')._exit(0)",
        "kills": "__import__('os').kill(__import__('os').getppid(), 9)",
        "floods": "print('<script>alert(1)</script>\\x1b[2J' * 10**6)",
        "raises": "raise ValueError('\\ud800 </script> =cmd() \\x00')",
        "eats memory": "bytearray(10**10)",
        "hangs": "\n    while True: pass",
    }
    for name, statement in hostile.items():
        found[name] = (
            answers[LESSON]
            .replace("def rms_norm(", f"def _harm():\n    {statement}\n\n\ndef rms_norm(", 1)
            .replace("    mean_square = ", "    _harm()\n    mean_square = ", 1)
        )
        assert "    _harm()" in found[name]
    odd = {
        "nul": answers[LESSON].encode() + b"\0",
        "latin": b"# -*- coding: utf-8 -*-\n# \xe9\n" + answers[LESSON].encode(),
        "vast": b"#" * 1_100_000,
        "crlf": b"\xef\xbb\xbf" + answers[LESSON].replace("\n", "\r\n").encode(),
    }
    return {name: text.encode() for name, text in found.items()} | odd


@pytest.fixture(scope="module")
def alone(texts, desk) -> dict[str, list[tuple[str, int, str | None]]]:
    """What each of them gets when it is graded alone."""
    return {name: verdict_on(desk.grade({LESSON: text}, LESSON)) for name, text in texts.items()}


def verdict_on(report: Report) -> list[tuple[str, int, str | None]]:
    return [(exercise.status, exercise.earned, exercise.misconception) for exercise in report.exercises]


@pytest.fixture(scope="module")
def hands():
    with LocalHands(("objective", LESSON), jobs=2) as opened:
        yield opened


class Prepared(Workplace):
    """Where the processes are there already, and stay."""

    def __init__(self, hands: LocalHands) -> None:
        super().__init__()
        object.__setattr__(self, "_opened", hands)

    def hands(self, lessons: object) -> LocalHands:
        stays: LocalHands = self._opened  # type: ignore[attr-defined]
        return Staying(stays)


class Staying:
    def __init__(self, hands: LocalHands) -> None:
        self.size, self.executor, self.renew = hands.size, hands.executor, hands.renew

    def close(self) -> None:
        """The next run needs them, too."""


def test_every_score_is_the_one_that_grading_alone_gives(texts, alone, hands, tmp_path):
    chance = random.Random("a class")
    kinds = [*texts, *chance.choices(sorted(texts), k=max(0, STUDENTS - len(texts)))]
    chance.shuffle(kinds)
    layouts = list(BUILDERS)
    seen = 0
    for place, layout in enumerate(layouts):
        mine = kinds[place :: len(layouts)]
        students = []
        for number, (kind, name) in enumerate(zip(mine, islice(cycle(NAMES), len(mine)), strict=False)):
            plain = "".join(char for char in name[:60] if char not in '_/"')
            id_ = str(1000 + number) if layout in DIGITS_ONLY else f"{plain} {number}"
            students.append(Handed(id_, name.replace("/", ""), {f"{LESSON}.py": texts[kind]}, email=f"s{number}@x"))
        export = BUILDERS[layout](tmp_path / layout, students)
        source = as_zip(export) if layout in ("canvas", "moodle", "blackboard", "nbgrader") else export
        out = tmp_path / f"out-{layout}"
        done = carry_out(Order(str(source), (LESSON,)), out, Prepared(hands))
        assert done.faults == 0
        assert [student.id for student, _ in done.ran.unreadable] == []
        expected = {student.id: alone[kind] for student, kind in zip(students, mine, strict=True)}
        assert scores_in(done, out) == expected
        assert points_in(out / "grades.csv") == {
            id_: [earned for _, earned, _ in all_] for id_, all_ in expected.items()
        }
        seen += len(students)
    assert seen >= STUDENTS
    assert set(kinds) == set(texts)


def scores_in(done: Done, out: Path) -> dict[str, list[tuple[str, int, str | None]]]:
    """What the reports say."""
    from grader.batch.naming import file_names

    files = file_names(done.ran.standing)
    return {
        id_: verdict_on(Report.from_dict(json.loads((out / "reports" / f"{file}.json").read_bytes())))
        for id_, file in files.items()
    }


def points_in(table: Path) -> dict[str, list[int]]:
    with table.open(encoding="utf-8", newline="") as lines:
        header, *rows = csv.reader(lines)
    assert header == ["student", "earned", "possible", *(exercise.id for exercise in EXERCISES)]
    assert all(int(earned) == sum(map(int, each)) for _, earned, _, *each in rows)
    return {student: [int(cell) for cell in each] for student, _, _, *each in rows}


def test_each_archive_that_is_refused_is_named_and_its_student_marked(answers, hands, tmp_path):
    right = {f"{LESSON}.py": answers[LESSON].encode()}
    bad = {
        "climbs": made_exports.zipped({f"../{LESSON}.py": b"x"}),
        "absolute": made_exports.zipped({f"/{LESSON}.py": b"x"}),
        "many": made_exports.zipped({f"{number}.txt": b"" for number in range(2001)}),
        "bomb": made_exports.zipped({f"{LESSON}.py": bytes(70_000_000)}),
        "nested": made_exports.zipped({"a.zip": made_exports.zipped({"b.zip": made_exports.zipped(right)})}),
        "torn": made_exports.zipped(right)[:-30],
    }
    folder = made_exports.zips(tmp_path / "class", [Handed("fine", "Fine", right)])
    made_exports.write(folder, {f"{name}.zip": content for name, content in bad.items()})
    out = tmp_path / "out"
    done = carry_out(Order(str(folder), (LESSON,)), out, Prepared(hands))
    assert {student.id for student, _ in done.ran.unreadable} == set(bad)
    assert all(why.endswith(".") for _, why in done.ran.unreadable)
    assert points_in(out / "grades.csv") == {"fine": [12, 12, 12]} | {name: [0, 0, 0] for name in bad}
    assert done.exit_code == 1
    page = (out / "overview.html").read_text("utf-8")
    assert all(name in page for name in bad)
