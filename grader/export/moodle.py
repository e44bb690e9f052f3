"""The offline grading worksheet of a Moodle assignment: fill in what Moodle gave out, or make one from ids.

How Moodle reads it (its importer's source): a student is the number at the end of `Participant <number>`; the columns
are found by their titles in the site's language, so titles stay as they were found; grades outside of 0 to the maximum
and those of locked rows are passed over, and an import into the gradebook is given up as a whole for one bad user or
number; `-` is no grade; a comment is HTML. So every number is checked here, and whoever has no grade here keeps theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from grader.errors import UserError
from grader.export.cells import cell_text, csv_line, number, raw_line
from grader.export.comment import comment, merged
from grader.export.marks import Filled, Mark, common_notes, mark, named, scale_note
from grader.export.moodle_columns import LOCKED, Columns, columns_of, participant
from grader.export.sheet import Sheet, cell, read_sheet
from grader.gradebook.standing import Standing

HEADER = (
    "Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade", "Grade can be changed",
    "Last modified (submission)", "Last modified (grade)", "Feedback comments",
)  # fmt: skip
NO_GRADE = "-"
_PARTICIPANT = re.compile(r"(?:Participant )?(?P<number>[1-9][0-9]*)")
"""Nothing looser: `team 7` and `007` are somebody else than participant 7."""
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)?")
_WHAT = "The Moodle worksheet"


def moodle_csv(standings: Iterable[Standing], *, safe_cells: bool = False) -> Filled:
    """A worksheet made from ids alone. Students whose id holds no participant's number are left out, and named."""
    lines, marks, strangers = [csv_line(HEADER)], list[Mark](), []
    for standing in standings:
        each = mark(standing)
        marks.append(each)
        found = _PARTICIPANT.fullmatch(each.id)
        if found is None:
            strangers.append(each.id)
            continue
        points = each.on_scale(Decimal(each.possible))
        name, email = (cell_text(text, safe=safe_cells) for text in (each.name, standing.student.email))
        cells = (
            f"Participant {found['number']}", name, email, "", NO_GRADE if points is None else number(points),
            number(each.possible), "Yes", NO_GRADE, NO_GRADE, comment(standing),
        )  # fmt: skip
        lines.append(raw_line(cells))
    made = (
        "Made from ids alone, in English. Better: download the grading worksheet from Moodle and give it with "
        "--template. Moodle passes over grades that it already has unless `Allow updating records that have been "
        "modified more recently` is ticked."
    )
    notes = [made]
    if strangers:
        notes.append(f"Left out, since these ids hold no participant's number of Moodle's: {named(strangers)}.")
    return Filled("".join(lines).encode("utf-8"), (*notes, *common_notes(marks)))


def fill_moodle(standings: Iterable[Standing], template: bytes) -> Filled:
    """The worksheet that Moodle gave out with its grades and comments filled in; all else stays as it was found.

    Grades are scaled to the maximum grade. A comment that a person wrote stays, and ours follows it. Raises UserError
    if the file is no grading worksheet or its grades are no numbers.
    """
    sheet = read_sheet(template, _WHAT)
    columns = columns_of(sheet)
    marks = [mark(standing, comment(standing)) for standing in standings]
    students = _by_participant(marks)
    maxima, seen = set[Decimal](), set[str]()
    rows, missing, locked = [sheet.header], [], []
    for line, row in enumerate(sheet.rows, start=2):
        if not any(row):
            continue
        id_ = participant(cell(row, columns.identifier), line)
        if id_ in seen:
            raise UserError(f"{_WHAT} has participant {id_} twice. Download it from Moodle again.")
        seen.add(id_)
        who = f"{id_} {cell(row, columns.name)}".rstrip()
        mine = students.get(id_)
        if mine is None:
            missing.append(who)
        elif columns.changeable is not None and cell(row, columns.changeable).strip().casefold() in LOCKED:
            locked.append(who)
        else:
            maximum = _maximum(row, columns, line)
            maxima.add(maximum)
            row = _filled(row, columns, mine, maximum)
        rows.append(row)
    unknown = [each.id for key, each in students.items() if key not in seen]
    unknown += [each.id for each in marks if _key(each) is None]
    notes = _notes(sheet, columns, marks, unknown, missing, locked)
    notes += [note for maximum in sorted(maxima) if (note := scale_note(marks, maximum, "the maximum grade in Moodle"))]
    return Filled(sheet.written(rows), (*notes, *common_notes(marks)))


def _key(mark: Mark) -> str | None:
    found = _PARTICIPANT.fullmatch(mark.id)
    return found["number"] if found else None


def _by_participant(marks: Sequence[Mark]) -> dict[str, Mark]:
    students: dict[str, Mark] = {}
    for each in marks:
        key = _key(each)
        if key is not None and students.setdefault(key, each) is not each:
            raise UserError(
                f"Two students of the gradebook are participant {key} of Moodle: {named([students[key].id, each.id])}. "
                "Grade the submissions that Moodle gave out, without others among them."
            )
    return students


def _maximum(row: tuple[str, ...], columns: Columns, line: int) -> Decimal:
    text = cell(row, columns.maximum).strip()
    if not _NUMBER.fullmatch(text) or not Decimal(text.replace(",", ".")):
        raise UserError(
            f"{_WHAT} gives {text!r} as the maximum grade in row {line}, which is no number above 0. Let the "
            "assignment be graded in points (Settings, Grade, Type: Point) and download the worksheet again."
        )
    return Decimal(text.replace(",", "."))


def _filled(row: tuple[str, ...], columns: Columns, mark: Mark, maximum: Decimal) -> tuple[str, ...]:
    cells = [*row, *([""] * (columns.last + 1 - len(row)))]
    points = mark.on_scale(maximum)
    if points is not None:
        decimal_comma = "," in cells[columns.maximum]
        cells[columns.grade] = number(points).replace(".", "," if decimal_comma else ".")
    if columns.feedback is not None:
        cells[columns.feedback] = merged(cells[columns.feedback], mark.comment)
    return tuple(cells)


def _notes(
    sheet: Sheet,
    columns: Columns,
    marks: Sequence[Mark],
    unknown: Sequence[str],
    missing: Sequence[str],
    locked: Sequence[str],
) -> list[str]:
    said: Mapping[str, Sequence[str]] = {
        "Graded, but not in the worksheet": unknown,
        "In the worksheet, but not graded, so left as they were": missing,
        "Locked in Moodle, so left as they were": locked,
    }
    notes = [f"{what}: {named(who)}." for what, who in said.items() if who]
    if marks and len(unknown) == len(marks):
        notes.insert(0, "Not one student of the gradebook is in the worksheet: is it of another assignment?")
    if columns.feedback is None:
        notes.append("The worksheet has no column for comments, so none were written (Settings, Feedback comments).")
    elif columns.guessed:
        titles = (sheet.header[columns.grade], sheet.header[columns.maximum], sheet.header[columns.feedback])
        notes.append(
            f"The titles are in a language that is not known here: grades went to {titles[0]!r} (at most "
            f"{titles[1]!r}), comments to {titles[2]!r}. Check this before importing."
        )
    return notes
