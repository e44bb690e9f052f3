"""Where the gradebook is, and which assignment is meant: what every command on a gradebook asks for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.errors import UserError

if TYPE_CHECKING:
    from grader.gradebook.assignment import Assignment
    from grader.gradebook.book import Gradebook

FILE = "gradebook.sqlite"
"""The gradebook of `batch --out DIR`, in DIR."""

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OUT = click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help=f"The folder of a batch run: its {FILE}, or the --db of that run.",
)
_DB = click.option(
    "--db",
    metavar="URL",
    help="The gradebook itself: an SQLite file, or a URL like postgresql://user@host/name (its password may stand in "
    "~/.pgpass).",
)

assignment_option = click.option(
    "--assignment", metavar="ID", help="Which one; not needed where the gradebook holds only one."
)


def book_options(command: _Command) -> _Command:
    """The options `--out DIR` and `--db URL`, one of which must be given: see `open_book`."""
    return _OUT(_DB(command))


def book_place(out: Path | None, db: str | None) -> str | Path:
    """Where the gradebook is by the two options. Raises UserError for none or both of them."""
    if (out is None) == (db is None):
        raise UserError("Say which gradebook: --out DIR (the folder of a batch run) or --db URL, one of them.")
    return db if db is not None else Path(str(out), FILE)


def open_book(out: Path | None, db: str | None, create: bool = False) -> Gradebook:
    """The gradebook by the two options; one that is not there is a mistake unless it is to be made.

    A run may have kept its gradebook elsewhere: its folder says where, and so does this.
    """
    from grader.cli.output import visible
    from grader.gradebook.book import Gradebook  # SQLAlchemy is slow to import, and `--help` needs none of it
    from grader.gradebook.connection import as_url
    from grader.gradebook.trouble import shown

    place = book_place(out, db)
    if out is not None and (elsewhere := _of_run(out)):
        click.echo(f"The gradebook of {visible(str(out))} is {visible(shown(as_url(elsewhere)))}.", err=True)
        place = elsewhere
    if isinstance(place, Path) and not place.parent.is_dir():
        raise UserError(f"There is no folder {str(place.parent)!r}. Name the one that `anatomy batch --out` wrote.")
    return Gradebook(place, create=create)


def _of_run(out: Path) -> str:
    """The `--db` of the run whose results lie in a folder; empty where it had none. Raises UserError."""
    from grader.batch.order import ORDER, Order

    return Order.load(out).db if (out / ORDER).exists() else ""


def chosen(book: Gradebook, assignment: str | None) -> Assignment:
    """The assignment of that id, or the only one."""
    if assignment is not None:
        return book.assignment(assignment)
    there = book.assignments()
    if not there:
        raise UserError(f"The gradebook {book.where} holds no assignment yet. `anatomy batch` brings one.")
    if len(there) > 1:
        raise UserError(f"Say which: --assignment {' or '.join(each.id for each in there)}.")
    return there[0]


def student_id(book: Gradebook, assignment: Assignment, typed: str) -> str:
    """The id that a person typed: as it is, or as the commands show one that cannot be typed or is too long."""
    from grader.cli.gradebook_records import short
    from grader.cli.output import visible

    students = book.students(assignment.id)
    if typed in students:
        return typed
    meant = [student for student in students if typed in (visible(student), short(student))]
    return meant[0] if len(meant) == 1 else typed
