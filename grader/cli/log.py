"""`anatomy log`: records that travel from one machine to another."""

from pathlib import Path

import click

from grader.cli.destination import STANDARD_OUTPUT, output_option, write_output
from grader.cli.learner import learner_log, name_damage
from grader.cli.reviewing import history_of
from grader.errors import UserError
from grader.records.exchange import export, import_


@click.group("log")
def log_() -> None:
    """Take your records to another machine, or bring them together.

    What you did on two machines adds up in any order, and nothing counts twice.
    """


@log_.command("export")
@output_option("FILE.jsonl")
def export_(output: str) -> None:
    """Write all your records to one file."""
    history = history_of(learner_log())
    if not history.events:
        raise UserError("Nothing is recorded yet, so nothing was written.")
    write_output(output, export(history))
    if output != STANDARD_OUTPUT:
        click.echo(f"Wrote {output}: {_records(len(history.events))}. Elsewhere: anatomy log import {output}")


@log_.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
def import_files(files: tuple[Path, ...]) -> None:
    """Take in the records of each FILE: what `anatomy log export` wrote, a log file, or another home's folder."""
    imported = import_(learner_log(), files)
    name_damage(imported.damaged)
    if imported.damaged and not imported.new + imported.known:
        raise UserError("There is not one record in there, so nothing was taken in. Name what `log export` wrote.")
    known = f"; {_records(imported.known)} were here already" if imported.known else ""
    click.echo(f"Took in {_records(imported.new)}{known}.")


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count} records"
