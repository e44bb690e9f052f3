"""`-o FILE`: where a command writes, `-` for the standard output."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from grader.atomic import write_pieces
from grader.errors import UserError

STANDARD_OUTPUT = "-"

_Command = TypeVar("_Command", bound=Callable[..., Any])


def output_option(metavar: str) -> Callable[[_Command], _Command]:
    """The option `-o`, which must be given: no command writes where nobody looks."""
    says = "Where to write; - for the standard output. A file of that name is replaced."
    return click.option("-o", "--output", metavar=metavar, required=True, help=says)


def write_output(output: str, content: bytes | Iterable[bytes]) -> None:
    """Write all of it; or raise UserError, and a file that was there before is still as it was.

    content: or its pieces, where it is too large to be held at once.
    """
    pieces = (content,) if isinstance(content, bytes) else content
    if output == STANDARD_OUTPUT:
        for piece in pieces:
            click.echo(piece, nl=False)
        return
    path = Path(output)
    if not path.parent.is_dir():
        raise UserError(
            f"There is no folder {path.parent} to write {path.name} to. Make it, or choose another -o FILE."
        )
    write_pieces(path, pieces)
