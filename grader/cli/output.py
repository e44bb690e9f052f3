"""How commands print: aligned text that is complete without colour, and JSON. rich only where there is a terminal."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TextIO

import click

SENTENCES = 100
"""How wide sentences are at most."""
LONGEST = 200
"""Characters of something from a log that are shown at most."""
FIRST_COLUMNS = 3
"""Columns of a table that are shown even where they must be folded."""

format_option = click.option(
    "--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to print."
)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table; a heading stands out and has space above it."""

    cells: tuple[str, ...]
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Columns by name; those in `right` hold numbers and are aligned to the right."""

    columns: tuple[str, ...]
    rows: Sequence[Row]
    right: frozenset[str] = frozenset()


def at_terminal(stream: TextIO | None) -> bool:
    """Whether a person sits at the other end. A stream that was closed before the command began is None."""
    return stream is not None and stream.isatty()


def visible(text: str) -> str:
    """What a log says, on one line of a terminal: characters that would move the cursor are written as escapes.

    Logs travel between machines, and nobody knows who wrote them.
    """
    shown = "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}..."


def terminal_width(most: int) -> int:
    """How wide sentences may be: `most`, or the width of a narrower terminal. A pipe is as wide as it likes."""
    if not at_terminal(sys.stdout):
        return most
    import shutil  # a command in a pipe need not wait for it

    return min(most, shutil.get_terminal_size().columns)


def wrapped(text: str) -> str:
    """Sentences as lines of a readable width. What stands in backticks is not broken: it may be typed."""
    import re
    import textwrap

    width = terminal_width(SENTENCES)
    held = re.sub(r"`[^`\n]+`", lambda match: match[0].replace(" ", "\xa0"), text)
    lines = []
    for line in held.split("\n"):
        indent = line[: len(line) - len(line.lstrip(" "))]
        folded = textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        lines.append("\n".join(folded))
    return "\n".join(lines).replace("\xa0", " ")


def print_json(record: Any) -> None:
    """Print a record as JSON that any terminal can show."""
    click.echo(json.dumps(record, indent=2))


def print_table(table: Table) -> None:
    """Print a table: with rich on a terminal, as aligned text otherwise."""
    if at_terminal(sys.stdout):
        _print_rich(table)
    else:
        click.echo(plain_table(table))


def plain_table(table: Table) -> str:
    """The table as text: columns two spaces apart, an empty line above each heading, nothing shortened."""
    grid = [table.columns, *(row.cells for row in table.rows)]
    widths = [max(len(line[column]) for line in grid) for column in range(len(table.columns))]
    lines = [_align(table.columns, table, widths)]
    for row in table.rows:
        if row.heading:
            lines.append("")
        lines.append(_align(row.cells, table, widths))
    return "\n".join(lines)


def _align(cells: Sequence[str], table: Table, widths: Sequence[int]) -> str:
    padded = (
        cell.rjust(width) if name in table.right else cell.ljust(width)
        for cell, name, width in zip(cells, table.columns, widths, strict=True)
    )
    return "  ".join(padded).rstrip()


def _print_rich(table: Table) -> None:
    from rich.console import Console  # slow to import, and of no use in a pipe
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console(highlight=False)
    table = _fitting(table, console.width)
    rich_table = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in table.columns:
        rich_table.add_column(name, justify="right" if name in table.right else "left", overflow="fold")
    for row in table.rows:
        if row.heading:
            rich_table.add_row()
        # Text, so that brackets in a title are not read as markup.
        rich_table.add_row(*(Text(cell) for cell in row.cells), style="bold" if row.heading else None)
    console.print(rich_table)


def _fitting(table: Table, width: int) -> Table:
    """The table without its last columns, as many as a narrow terminal cannot hold; the first three always stay."""
    shown = len(table.columns)
    while shown > FIRST_COLUMNS and max(map(len, plain_table(_first(table, shown)).splitlines())) > width:
        shown -= 1
    return _first(table, shown)


def _first(table: Table, columns: int) -> Table:
    rows = [Row(row.cells[:columns], row.heading) for row in table.rows]
    return Table(table.columns[:columns], rows, table.right)
