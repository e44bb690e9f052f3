"""Which column of a Moodle worksheet is which, in whatever language the site speaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.errors import UserError
from grader.export.marks import named
from grader.export.sheet import Sheet, cell

_GRADE = frozenset({"grade", "bewertung", "note", "calificación", "valutazione", "cijfer", "nota", "ocena"})
_MAXIMUM = frozenset(
    {
        "maximum grade", "bestwertung", "note maximale", "calificación máxima", "valutazione massima", "maximumcijfer",
        "maximale cijfer", "nota máxima", "ocena maksymalna",
    }
)  # fmt: skip
_FEEDBACK = frozenset(
    {
        "feedback comments", "feedback als kommentar", "feedback par commentaires", "comentarios de retroalimentación",
        "commenti", "commenti di feedback", "feedback als commentaar", "comentários de feedback",
    }
)  # fmt: skip
_CHANGEABLE = frozenset(
    {
        "grade can be changed", "bewertung kann geändert werden", "la note peut être modifiée",
        "la calificación puede ser cambiada", "la calificación puede cambiarse", "la valutazione può essere modificata",
        "cijfer kan gewijzigd worden", "a nota pode ser alterada",
    }
)  # fmt: skip
LOCKED = frozenset({"no", "nein", "non", "nee", "não", "nie"})
"""What stands there for a grade that is locked."""
_IDENTIFIER = re.compile(r"(?P<word>\D*?)\s*(?P<number>\d+)\s*")
_POINTS = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True)
class Columns:
    """Where things stand. guessed: by their place and content, since the titles are not known."""

    identifier: int
    name: int
    grade: int
    maximum: int
    changeable: int | None
    feedback: int | None
    guessed: bool

    @property
    def last(self) -> int:
        """The last column that is written."""
        return max(self.grade, self.maximum, self.feedback or 0)


def columns_of(sheet: Sheet) -> Columns:
    """Find the columns: by title, else by content (the maximum is one number all the way down, right of the grade).

    Raises UserError where they cannot be told.
    """
    titles = [title.strip().casefold() for title in sheet.header]
    rows = [row for row in sheet.rows if any(row)]
    identifier = _first(range(len(titles)), lambda column: _is_identifier([cell(row, column) for row in rows]))
    maximum = _titled(titles, _MAXIMUM)
    grade = _titled(titles, _GRADE)
    guessed = maximum is None or grade is None
    if maximum is None:
        maximum = _first(range(1, len(titles)), lambda column: _is_maximum([cell(row, column) for row in rows]))
    if grade is None and maximum:
        grade = maximum - 1
    if identifier is None or grade is None or maximum is None:
        raise UserError(
            "The Moodle worksheet has no columns Identifier, Grade and Maximum grade that could be told; it has "
            f"{named(sheet.header)}. Download it from the assignment in Moodle (View all submissions, Download grading "
            "worksheet), if need be with the language set to English."
        )
    feedback = _titled(titles, _FEEDBACK)
    last = len(titles) - 1
    if feedback is None and guessed and last > maximum:
        feedback = last
    name = identifier + 1 if identifier + 1 < min(grade, maximum) else identifier
    return Columns(identifier, name, grade, maximum, _titled(titles, _CHANGEABLE), feedback, guessed)


def participant(text: str, line: int) -> str:
    """The number of `Participant <number>`. Raises UserError for anything else, which would spoil the whole import."""
    found = _IDENTIFIER.fullmatch(text)
    if found is None:
        raise UserError(
            f"The Moodle worksheet has {text[:40]!r} in row {line} where `Participant <number>` is expected. Download "
            "it from Moodle again."
        )
    return str(int(found["number"]))


def _titled(titles: Sequence[str], known: frozenset[str]) -> int | None:
    return _first(range(len(titles)), lambda column: titles[column] in known)


def _first(columns: range, fits: Callable[[int], bool]) -> int | None:
    return next((column for column in columns if fits(column)), None)


def _is_identifier(cells: Sequence[str]) -> bool:
    """One word and a number in most rows: a row that was spoilt by hand is named later."""
    found = [match for each in cells if (match := _IDENTIFIER.fullmatch(each)) and match["word"]]
    return len(found) * 2 > len(cells) and len({match["word"] for match in found}) == 1


def _is_maximum(cells: Sequence[str]) -> bool:
    return bool(cells) and len(set(cells)) == 1 and _POINTS.fullmatch(cells[0].strip()) is not None
