"""From the zip that a platform gives out to the file that it takes back: every grade arrives at whoever handed in."""

import csv
import io
from decimal import Decimal
from pathlib import Path

import made_exports
import pytest
from export.importers import CanvasCourse, CanvasUser, MoodleAssignment, import_canvas, import_moodle
from export.made import report
from made_exports import Handed

from grader.batch.collect import collect
from grader.course.load import load_course
from grader.export.canvas import canvas_csv, fill_canvas
from grader.export.moodle import HEADER, fill_moodle, moodle_csv
from grader.gradebook.standing import Standing

NAMES = (
    "Ada Lovelace",
    "Ada Lovelace",
    "José Núñez",
    "O'Brien, Pat",
    "=cmd()",
    "+plus",
    "王小明",
    'Zoë & "Zed"',
    "n" * 120,
)
IDS = {4200 + place: name for place, name in enumerate(NAMES)}
EARNED = {id_: (10, place) for place, id_ in enumerate(IDS)}


def standings(build, folder: Path) -> list[Standing]:
    """What each student of a platform's zip would have: the points stand in for a grading."""
    handed = [Handed(str(id_), name, {"normalization.py": b"x = 1\n"}) for id_, name in IDS.items()]
    collection = collect(made_exports.as_zip(build(folder / "hw1", handed)), load_course(), ["normalization"])
    assert not collection.refused
    students = [student for each in collection.submissions for student in each.students]
    made = {student.id: report(EARNED[int(student.id)]) for student in students}
    return [Standing(student, made[student.id], Decimal(made[student.id].earned)) for student in students]


def written(rows: list[list[object]]) -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode("utf-8")


def test_canvas(tmp_path):
    found = standings(made_exports.canvas, tmp_path)
    course = CanvasCourse([CanvasUser(id_, name) for id_, name in IDS.items()], {7: ("Norms", "20")})
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Norms (7)"]
    rows = [
        header,
        ["Points Possible", "", "", "", "", "20"],
        *([name, id_, "", "", "A", ""] for id_, name in IDS.items()),
    ]
    arrived = {(id_, 7): str(sum(points)) for id_, points in EARNED.items()}
    assert import_canvas(fill_canvas(found, written(rows)).content, course).changes == arrived
    assert import_canvas(canvas_csv(found, "Norms (7)").content, course).changes == arrived


@pytest.mark.parametrize("build", [made_exports.moodle, made_exports.moodle_flat])
def test_moodle(tmp_path, build):
    found = standings(build, tmp_path)
    assignment = MoodleAssignment(set(IDS), Decimal(20))
    rows = [[f"Participant {id_}", name, "", "", "-", "20", "Yes", "-", "-", ""] for id_, name in IDS.items()]
    arrived = {id_: Decimal(sum(points)) for id_, points in EARNED.items()}
    assert import_moodle(fill_moodle(found, written([list(HEADER), *rows])).content, assignment).grades == arrived
    assert import_moodle(moodle_csv(found).content, assignment).grades == arrived
