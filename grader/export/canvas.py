"""The gradebook file of Canvas: fill one assignment's column of what Canvas exported, or make a file from ids.

How Canvas reads it (its importer's source): a student is found by `ID`, read as the digits it begins with, then by
SIS User ID, by SIS Login ID, and last by name; `Section` is the last column on students; a column whose `(number)` and
title it does not know becomes a new assignment; an empty cell of a known one takes a grade away; the row `Points
Possible` changes the assignment. So only one column is written, and whatever has no grade here keeps its cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation

from grader.errors import UserError
from grader.export.cells import csv_line, number
from grader.export.marks import Filled, Mark, common_notes, mark, named, scale_note
from grader.export.sheet import Sheet, cell, read_sheet
from grader.gradebook.standing import Standing

HEADER = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS_POSSIBLE = "Points Possible"
_KEYS = ("ID", "SIS Login ID", "SIS User ID")
"""Columns by which a student may be known, in the order of preference."""
_ID = re.compile(r"[1-9][0-9]*")
_NUMBERED = re.compile(r"(?P<title>.*)\((?P<id>\d+)\)\s*", re.DOTALL)
_EXCUSED = "EX"
_WHAT = "The Canvas gradebook"


def canvas_csv(standings: Iterable[Standing], title: str, *, safe_cells: bool = False) -> Filled:
    """A file made from ids alone, with `title` (`Title (assignment id)`, if it is known) for its one assignment."""
    marks = [mark(standing) for standing in standings]
    possible = max((each.possible for each in marks), default=0)
    given = [each for each in marks if each.final is not None]
    lines = [csv_line((*HEADER, title), safe=safe_cells)]
    lines.append(csv_line((f"    {POINTS_POSSIBLE}", "", "", "", "", possible)))
    for each in given:
        points = each.on_scale(Decimal(possible))
        lines.append(csv_line((*_identity(each), "" if points is None else points), safe=safe_cells))
    notes = [
        "Made from ids alone, without the names and sections that Canvas knows"
        + ("" if _NUMBERED.fullmatch(title) else f", and {title!r} would become a new assignment")
        + ". Better: export the gradebook from Canvas and give it with --template."
    ]
    if logins := [each.id for each in given if not _ID.fullmatch(each.id)]:
        notes.append(f"These ids are none of Canvas's own and stand as SIS Login ID: {named(logins)}.")
    return Filled("".join(lines).encode("utf-8"), (*notes, *common_notes(marks)))


def fill_canvas(standings: Iterable[Standing], template: bytes, column: str | None = None, title: str = "") -> Filled:
    """The instructor's own export with one assignment's column filled in, and the other assignments left out.

    column: the assignment, by its id or its title; not needed when there is only one, or just one
    that is called `title`, as the assignment is. A student without a grade here,
    or excused there, keeps the cell that was found. Raises UserError if the file is no Canvas gradebook, the assignment
    is not in it, or its grades cannot be changed.
    """
    sheet = read_sheet(template, _WHAT)
    last = _last_of_students(sheet)
    place = _assignment(sheet, last, column, title)
    possible_row = next((row for row in sheet.rows if POINTS_POSSIBLE in cell(row, 0)), None)
    if possible_row is None:
        raise UserError(f"{_WHAT} has no row {POINTS_POSSIBLE!r}. Export it from Canvas again.")
    maximum = _maximum(cell(possible_row, place), sheet.header[place])
    marks = [mark(standing) for standing in standings]
    key, students = _join(sheet, marks)
    rows, missing, excused = [[*sheet.header[: last + 1], sheet.header[place]]], [], []
    for row in sheet.rows:
        found = cell(row, place)
        if row is not possible_row and not _no_student(row):
            mine = students.get(cell(row, key).strip())
            points = mine.on_scale(maximum or Decimal(mine.possible)) if mine else None
            if mine is None:
                missing.append(cell(row, 0))
            elif found.strip().upper() == _EXCUSED:
                excused.append(cell(row, 0))
            elif points is not None:
                found = number(points)
        rows.append([*(cell(row, place) for place in range(last + 1)), found])
    unknown = students.keys() - {cell(row, key).strip() for row in sheet.rows}
    filled = (
        [f"Filled in is {sheet.header[place]!r}, called as the assignment is."]
        if column is None and _more(sheet, last)
        else []
    )
    notes = filled + _notes(
        sheet.header[key], marks, missing, excused, [each.id for each in marks if each.id in unknown]
    )
    scaled = scale_note(marks, maximum, f"{POINTS_POSSIBLE} of {sheet.header[place]!r}") if maximum else ""
    return Filled(sheet.written(rows), (*notes, *([scaled] if scaled else []), *common_notes(marks)))


def _identity(mark: Mark) -> tuple[str, ...]:
    """Canvas reads `12a` and `012` in the column ID as 12, somebody else: only its own ids may stand there. Nor may the
    bare name: it would find a namesake of whoever is not in the course."""
    own = _ID.fullmatch(mark.id) is not None
    return (f"{mark.name} ({mark.id})".lstrip(), mark.id if own else "", "", "" if own else mark.id, "")


def _last_of_students(sheet: Sheet) -> int:
    titles = [title.strip() for title in sheet.header]
    if "ID" not in titles or "Section" not in titles:
        raise UserError(
            f"{_WHAT} has no columns ID and Section, but {named(titles)}. "
            "Export the gradebook from Canvas (Grades, Export)."
        )
    return titles.index("Section")


def _assignment(sheet: Sheet, last: int, wanted: str | None, ours: str) -> int:
    numbered = {place: _NUMBERED.fullmatch(title) for place, title in enumerate(sheet.header) if place > last}
    candidates = {place: match for place, match in numbered.items() if match}
    there = named(sheet.header[place] for place in candidates) or "none"
    if wanted is None:
        if len(candidates) == 1:
            return next(iter(candidates))
        alike = [place for place, match in candidates.items() if ours and match["title"].strip() == ours.strip()]
        if len(alike) == 1:
            return alike[0]
        raise UserError(
            f"{_WHAT} has more than one assignment, or none: {there}. Choose one with --column ID or TITLE."
        )
    wanted = wanted.strip()
    for fits in (
        [place for place in numbered if sheet.header[place].strip() == wanted],
        [place for place, match in candidates.items() if match["id"] == wanted],
        [place for place, match in candidates.items() if match["title"].strip() == wanted],
    ):
        if len(fits) == 1:
            return fits[0]
        if fits:
            ids = named(sheet.header[place] for place in fits)
            raise UserError(f"{_WHAT} has more than one assignment {wanted!r}: {ids}. Choose one by its id.")
    raise UserError(f"{_WHAT} has no assignment {wanted!r}. It has: {there}. Choose one with --column ID or TITLE.")


def _more(sheet: Sheet, last: int) -> bool:
    """Whether there was a choice."""
    return sum(_NUMBERED.fullmatch(title) is not None for title in sheet.header[last + 1 :]) > 1


def _maximum(text: str, title: str) -> Decimal | None:
    """The points possible in Canvas; None where they are 0, so that nothing can be scaled."""
    if "read only" in text:
        raise UserError(f"The grades of {title!r} are read only in Canvas. Choose another assignment with --column.")
    try:
        maximum = Decimal(text.strip().replace(",", "."))
    except InvalidOperation:
        maximum = Decimal("NaN")
    if not maximum.is_finite() or maximum < 0:
        raise UserError(f"{_WHAT} gives {text!r} as {POINTS_POSSIBLE} of {title!r}. Give it points in Canvas first.")
    return maximum or None


def _no_student(row: tuple[str, ...]) -> bool:
    """A row on the posting policy, or an empty one; a student has a name or an id."""
    return all(not each.strip() or each.strip().lower().startswith(("muted", "manual posting")) for each in row)


def _join(sheet: Sheet, marks: Sequence[Mark]) -> tuple[int, dict[str, Mark]]:
    """The column that knows the most of our ids, and the marks by id. One column: an id may be another's login."""
    students = {each.id: each for each in marks}
    titles = [title.strip() for title in sheet.header]
    places = [titles.index(title) for title in _KEYS if title in titles]
    best = max(places, key=lambda place: sum(cell(row, place).strip() in students for row in sheet.rows))
    return best, students


def _notes(
    key: str, marks: Sequence[Mark], missing: Sequence[str], excused: Sequence[str], unknown: Sequence[str]
) -> list[str]:
    notes = [] if key.strip() == "ID" else [f"Students were found by {key.strip()}, since that column has their ids."]
    if marks and len(unknown) == len(marks):
        notes.append("Not one student of the gradebook is in the Canvas file: is it of another course?")
    if unknown:
        notes.append(f"Graded, but not in the Canvas file: {named(unknown)}.")
    if missing:
        notes.append(f"In the Canvas file, but not graded, so left as they were: {named(missing)}.")
    if excused:
        notes.append(f"Excused in Canvas, so left as they were: {named(excused)}.")
    return notes
