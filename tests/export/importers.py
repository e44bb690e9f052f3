"""How the platforms read what is given to them: their rules, written down as checks, and what becomes of an import."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

VISIBILITIES = ("visible", "hidden", "after_due_date", "after_published")
_TOP = {
    "score", "tests", "output", "output_format", "visibility", "stdout_visibility", "execution_time", "extra_data",
    "leaderboard",
}  # fmt: skip
_TEST = {"name", "score", "max_score", "status", "output", "output_format", "visibility"}


class Aborted(Exception):
    """The platform refuses the whole file."""


@dataclass(frozen=True)
class CanvasUser:
    id: int
    name: str
    sis: str = ""
    login: str = ""


@dataclass
class CanvasCourse:
    """A course as Canvas holds it. grades: by (user, assignment), as texts."""

    users: list[CanvasUser]
    assignments: dict[int, tuple[str, str]]
    grades: dict[tuple[int, int], str] = field(default_factory=dict)


@dataclass
class CanvasImport:
    """What Canvas would do: grades that change, and what it would ask about."""

    changes: dict[tuple[int, int], str] = field(default_factory=dict)
    points_possible: dict[int, str] = field(default_factory=dict)
    new_assignments: list[str] = field(default_factory=list)
    new_students: list[str] = field(default_factory=list)


def import_canvas(content: bytes, course: CanvasCourse) -> CanvasImport:
    """Read a gradebook file as Canvas does."""
    text = content.decode("utf-8-sig")
    delimiter = ";" if text.partition("\n")[0].count(";") > text.partition("\n")[0].count(",") else ","
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if any(row)]
    header = rows[0]
    if not (len(header) > 3 and "Student" in header[0] and "ID" in header[1]):
        raise Aborted("Invalid header row")
    known = ["Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account", "Section"]
    last = header.index("Section") if "Section" in header else -1
    if last < 0 or any(title not in known for title in header[: last + 1]):
        raise Aborted("Invalid header row")
    done = CanvasImport()
    columns: dict[int, int | None] = {}
    for place in range(last + 1, len(header)):
        if re.search("(Current|Final|Override) (Score|Points|Grade|Status)", header[place]):
            continue
        numbered = re.fullmatch(r"(.*?)\s*\((\d+)\)\s*", header[place], re.DOTALL)
        found = int(numbered[2]) if numbered and int(numbered[2]) in course.assignments else None
        found = found or next((id_ for id_, (title, _) in course.assignments.items() if title == header[place]), None)
        columns[place] = found
        if found is None:
            done.new_assignments.append(header[place])
    for row in rows[1:]:
        if "Points Possible" in row[0]:
            for place, assignment in columns.items():
                if assignment is not None and Decimal(row[place]) != Decimal(course.assignments[assignment][1]):
                    done.points_possible[assignment] = row[place]
        elif not all(re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", each, re.IGNORECASE) for each in row):
            _canvas_student(row, header, columns, course, done)
    return done


def _canvas_student(
    row: list[str], header: list[str], columns: dict[int, int | None], course: CanvasCourse, done: CanvasImport
) -> None:
    user = _canvas_user(row, header, course.users)
    if user is None:
        done.new_students.append(row[0])
        return
    for place, assignment in columns.items():
        if assignment is None:
            continue
        grade, before = row[place].strip(), course.grades.get((user.id, assignment), "")
        if grade.casefold() != before.casefold() and not (grade in ("", "-") and before in ("", "-")):
            done.changes[user.id, assignment] = grade


def _canvas_user(row: list[str], header: list[str], users: list[CanvasUser]) -> CanvasUser | None:
    def cell(title: str) -> str:
        return row[header.index(title)] if title in header else ""

    leading = re.match(r"\s*(\d+)", cell("ID"))  # Ruby's to_i
    by_id = [user for user in users if leading and user.id == int(leading[1])]
    by_sis = [user for user in users if cell("SIS User ID") and user.sis == cell("SIS User ID")]
    by_login = [user for user in users if cell("SIS Login ID") and user.login == cell("SIS Login ID")]
    by_name = [user for user in users if user.name == row[0]]
    return next(iter([*by_id, *by_sis, *by_login, *by_name]), None)


@dataclass
class MoodleAssignment:
    """An assignment as Moodle holds it. participants: by number; titles: those of the site's language."""

    participants: set[int]
    maximum: Decimal = Decimal(100)
    locked: set[int] = field(default_factory=set)
    titles: Mapping[str, str] = field(
        default_factory=lambda: {
            "identifier": "Identifier",
            "grade": "Grade",
            "modified": "Last modified (grade)",
            "feedback": "Feedback comments",
        }
    )
    word: str = "Participant "
    decimal: str = "."


@dataclass
class MoodleImport:
    grades: dict[int, Decimal] = field(default_factory=dict)
    comments: dict[int, str] = field(default_factory=dict)


def import_moodle(content: bytes, assignment: MoodleAssignment) -> MoodleImport:
    """Read a worksheet as Moodle does, and as strictly as its gradebook: one bad user or number aborts it all."""
    text = content.decode("utf-8-sig")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    header, done = rows[0], MoodleImport()
    where = {}
    for name, title in assignment.titles.items():
        if title not in header:
            raise Aborted(f"there is no column {title}")
        where[name] = header.index(title)
    for row in rows[1:]:
        if len(row) != len(header):
            raise Aborted(f"a row has {len(row)} cells, the header {len(header)}")
        identifier = row[where["identifier"]]
        number = identifier[len(assignment.word) :]
        if (
            not identifier.startswith(assignment.word)
            or not number.isdigit()
            or int(number) not in assignment.participants
        ):
            raise Aborted(f"unknown user {identifier!r}")
        grade = row[where["grade"]].strip()
        if grade not in ("-", ""):
            if not re.fullmatch(r"\d+(\.\d+)?", grade.replace(assignment.decimal, ".")):
                raise Aborted(f"{grade!r} is no number")
            points = Decimal(grade.replace(assignment.decimal, "."))
            if not 0 <= points <= assignment.maximum:
                raise Aborted(f"{grade} is outside of 0 to {assignment.maximum}")
            if int(number) not in assignment.locked:
                done.grades[int(number)] = points
        done.comments[int(number)] = row[where["feedback"]]
    return done


def check_results(content: bytes) -> dict[str, Any]:
    """Check a results.json by Gradescope's description of it, line by line. Returns it."""
    document = json.loads(content.decode("utf-8"), parse_constant=lambda name: _wrong(f"{name} is no JSON"))
    assert isinstance(document, dict)
    assert set(document) <= _TOP, set(document) - _TOP
    tests = document.get("tests", [])
    assert isinstance(tests, list)
    for test in tests:
        assert set(test) <= _TEST, set(test) - _TEST
        assert isinstance(test["name"], str)
        assert _is_number(test["max_score"])
        assert test["status"] in ("passed", "failed")
        _check_text(test)
        assert test["visibility"] in VISIBILITIES
        # "optional, but required if not on top level submission"
        assert _is_number(test["score"]) if "score" not in document else _is_number(test.get("score", 0))
    if "score" in document:
        assert _is_number(document["score"])
    else:
        # Without any score there must be a sentence that says why.
        assert tests or document["output"]
    _check_text(document)
    for name in ("visibility", "stdout_visibility"):
        assert document.get(name, "visible") in VISIBILITIES
    assert _is_number(document.get("execution_time", 0))
    assert isinstance(document.get("extra_data", {}), dict)
    assert isinstance(document.get("leaderboard", []), list)
    return document


def _check_text(holder: Mapping[str, Any]) -> None:
    """Text for students: shown as text, with nothing in it that a terminal or a parser would obey or refuse."""
    assert holder["output_format"] == "text"
    assert isinstance(holder["output"], str)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", holder["output"])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _wrong(says: str) -> None:
    raise AssertionError(says)
