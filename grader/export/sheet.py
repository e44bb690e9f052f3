"""A CSV file that a platform wrote: read, filled in, and written as it was found."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

from grader.errors import UserError
from grader.export.cells import raw_line

_BOM = b"\xef\xbb\xbf"
_DELIMITERS = ",;\t"
_OTHERS = {
    b"PK": "a spreadsheet or an archive",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"\xd0\xcf": "a spreadsheet",
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """header and rows: cells as they were found; bom, newline, delimiter: how the file is written."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bom: bool
    newline: str
    delimiter: str

    def written(self, rows: Iterable[Iterable[str]]) -> bytes:
        """The file with other rows, the header among them."""
        lines = (raw_line(row, delimiter=self.delimiter, end=self.newline) for row in rows)
        return (_BOM if self.bom else b"") + "".join(lines).encode("utf-8")


def read_sheet(content: bytes, what: str) -> Sheet:
    """Read the CSV that a platform gave out. what: how it is called in errors, `the Canvas gradebook` say.

    Raises UserError for what is no CSV in UTF-8, has no rows, or has a row of more cells than its header.
    """
    again = "Download it from the platform again, as CSV, and do not save it from a spreadsheet program."
    for start, kind in _OTHERS.items():
        if content.startswith(start):
            raise UserError(f"{what} is {kind}, not CSV. {again}")
    try:
        text = content.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UserError(
            f"{what} is not UTF-8: line {line} has the byte 0x{content[error.start]:02x}. {again}"
        ) from None
    if "\0" in text:
        raise UserError(f"{what} holds a NUL character, as no CSV does. {again}")
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=lambda each: len(next(csv.reader([first], delimiter=each), [])))
    try:
        rows = [tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)]
    except csv.Error as error:
        raise UserError(f"{what} cannot be read as CSV: {error}. {again}") from None
    if not rows or len(rows[0]) < 2:
        raise UserError(f"{what} has no table in it. {again}")
    for row in rows[1:]:
        if any(row[len(rows[0]) :]):
            raise UserError(
                f"{what} has a row of {len(row)} cells under a header of {len(rows[0])}: {row[0][:40]!r}. {again}"
            )
    newline = "\r\n" if content.count(b"\r\n") * 2 > content.count(b"\n") else "\n"
    return Sheet(rows[0], tuple(rows[1:]), content.startswith(_BOM), newline, delimiter)


def cell(row: tuple[str, ...], column: int) -> str:
    """A cell, empty where the row is shorter than the header."""
    return row[column] if column < len(row) else ""
