"""`anatomy regrade`: the same submissions again, as far as anything has changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from grader.cli.batch import FORMATS


@click.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option(
    "--submissions",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Where the submissions lie now, if they were moved or handed in again.",
)
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Processes; by default one a core.")
@click.option("--scheduler", metavar="URL", help="Grade on the workers of this Dask scheduler.")
@click.option("--allow-weak", is_flag=True, help="Grade even where submitted code could read your files.")
@click.option("--format", "style", type=FORMATS, default="text", show_default=True, help="How to print.")
def regrade(
    out: Path, submissions: Path | None, jobs: int | None, scheduler: str | None, allow_weak: bool, style: str
) -> None:
    """Grade again what `anatomy batch --out DIR` graded, where anything has changed that a verdict rests on.

    That is what was handed in, the suites, the grader or the seed. Shows each score before and after, and why. The old
    scores stay in the history: `anatomy gradebook history`.
    """
    from grader.batch.order import Order
    from grader.cli.batch_told import tell, tell_changes
    from grader.cli.batching import Workplace, carry_out

    order = Order.load(out)
    if submissions is not None:
        order = replace(order, submissions=str(submissions.absolute()))
    done = carry_out(order, out, Workplace(jobs, scheduler, allow_weak))
    tell(done, out, style)
    tell_changes(done, style)
    click.get_current_context().exit(done.exit_code)
