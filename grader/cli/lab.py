"""`anatomy lab`: the experiments, and the report on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from grader.cli.output import Row, Table, format_option, print_json, print_table, terminal_width
from grader.course.load import load_course
from grader.errors import UserError
from grader.lab.experiment import EXPERIMENTS, Listing, find_experiment
from grader.lab.progress import shown
from grader.lab.record import FOLDER, find
from grader.lab.report import LabReport, examine, write_template
from grader.lab.running import Done, run
from grader.records import clock
from grader.workspace import find_workspace

REPORT = "report"
WIDTH = 100


@click.command()
@click.argument("name", required=False, metavar="[NAME | report]")
@click.option("--seed", type=click.IntRange(min=0), help="Of weights and text: the first of the seeds.  [default: 1]")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="The folder of records, plots and report.")
@format_option
def lab(name: str | None, seed: int | None, out: Path | None, format_: str) -> None:
    """Run the experiment NAME, or list the experiments.

    A run takes a minute or two and leaves a record (JSON) and plots (PNG, SVG) in `lab/` of your workspace, or of the
    current folder where there is none. `anatomy lab report` writes the form of a report there, and checks a report that
    is there already: every field filled, every number on record. Exit code 1 if it is not so.
    """
    as_json = format_ == "json"
    if name is None:
        _list(as_json)
    elif name == REPORT:
        if seed is not None:
            raise UserError("A report has no seed: it names its records. Leave `--seed` out.")
        click.get_current_context().exit(_report(out or _folder(), as_json))
    else:
        experiment = find_experiment(name)
        with shown() as progress:
            done = run(experiment, 1 if seed is None else seed, out or _folder(), clock.now(), progress)
        _show(done, as_json)


def _folder() -> Path:
    try:
        return find_workspace(Path.cwd(), load_course()).root / FOLDER
    except UserError:  # an experiment needs no workspace
        return Path.cwd() / FOLDER


def _list(as_json: bool) -> None:
    if as_json:
        keys = ("name", "question", "baseline", "changed", "expected")
        print_json({"version": 1, "experiments": [{key: getattr(e, key) for key in keys} for e in EXPERIMENTS]})
        return
    width = terminal_width(WIDTH)
    for experiment in EXPERIMENTS:
        click.echo(click.style(experiment.name, bold=True))
        for title, text in (
            ("question", experiment.question), ("baseline", experiment.baseline), ("changed", experiment.changed),
            ("expected", experiment.expected),
        ):  # fmt: skip
            click.echo(click.wrap_text(text, width, initial_indent=f"  {title:<9} ", subsequent_indent=" " * 12))
        click.echo()
    click.echo(f"Run one with `anatomy lab {EXPERIMENTS[0].name}`, then report with `anatomy lab report`.")


def _show(done: Done, as_json: bool) -> None:
    if as_json:
        print_json({"version": 1, "record": done.content, "files": [str(file) for file in done.files]})
        return
    content = done.content
    click.echo(click.style(str(content["question"]), bold=True))
    for listing in done.findings.listings:
        click.echo(f"\n{listing.title}")
        print_table(_table(listing))
    click.echo(f"\nSeed {content['seed']}, {content['timing']['seconds']:.0f} seconds. Written:")
    for file in done.files:
        click.echo(f"  {_spelled(file)}")
    click.echo("\nWhat do you make of it? `anatomy lab report`")


def _table(listing: Listing) -> Table:
    headings = tuple(column.heading for column in listing.columns)
    rows = [Row(tuple(column.cell(row) for column in listing.columns)) for row in listing.rows]
    numbers = frozenset(
        column.heading
        for column in listing.columns
        if not any(isinstance(row[column.key], str) for row in listing.rows)
    )
    return Table(headings, rows, numbers)


def _report(folder: Path, as_json: bool) -> int:
    """Write the form, or check the report. Returns the exit code."""
    report = examine(folder)
    if report.present:
        if as_json:
            print_json(_report_record(report, written=False))
        else:
            _show_report(report)
        return 0 if report.fine else 1
    path = write_template(folder)
    if as_json:
        print_json(_report_record(report, written=True))
        return 0
    click.echo(f"Wrote {_spelled(path)}, which names the newest of {len(find(folder))} records.")
    click.echo("Fill it in, then run `anatomy lab report` again: it checks every number against the records.")
    return 0


def _report_record(report: LabReport, written: bool) -> dict[str, Any]:
    return {
        "version": 1,
        "report": str(report.path),
        "written": written,
        "fine": report.fine,
        "records": list(report.records),
        "claims": [{"text": v.claim.text, "line": v.claim.line, "stands": v.stands} for v in report.claims],
        "problems": [{"line": problem.line, "message": problem.message} for problem in report.problems],
    }


def _show_report(report: LabReport) -> None:
    spelled = _spelled(report.path)
    records = "1 record" if len(report.records) == 1 else f"{len(report.records)} records"
    if report.fine:
        click.echo(f"{spelled} is complete: all {len(report.claims)} numbers stand in the {records} that it names.")
        return
    click.echo(f"{spelled} is not ready yet:")
    for problem in report.problems:
        click.echo(
            click.wrap_text(str(problem), terminal_width(WIDTH), initial_indent="  - ", subsequent_indent="    ")
        )
    click.echo("Mend the report, or run the experiment that bears it out: `anatomy lab` lists them.")


def _spelled(path: Path) -> str:
    """A path as a person in this folder would type it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
