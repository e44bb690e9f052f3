"""`anatomy undo`: take back a session, a completion, a restart, a pause or a setting."""

from datetime import date, datetime

import click

from grader.cli.learner import learner_log
from grader.cli.output import visible
from grader.cli.reviewing import history_of, learner_reviews
from grader.course.load import load_course
from grader.errors import UserError
from grader.records.kinds import VOID
from grader.review.history import fold_reviews
from grader.review.learner import records_here
from grader.review.undoing import dated_after, find, undoable

SHOWN = 20


@click.command()
@click.argument("id_", metavar="[ID]", required=False)
@click.option("--list", "list_", is_flag=True, help="Show what can be undone, the latest first.")
@click.option(
    "--after",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="Take back all that is dated later: for a clock that ran ahead.",
)
def undo(id_: str | None, list_: bool, after: datetime | None) -> None:
    """Take back what you did last, or the record that ID names (`anatomy undo --list`).

    It no longer counts, and everything is as if it had not been. Nothing is erased.
    """
    if sum((id_ is not None, list_, after is not None)) > 1:
        raise UserError("Give an ID, --list or --after, only one of them.")
    if after is not None:
        _undo_after(after.date())
        return
    choices = undoable(history_of(learner_log()).events)
    if not choices:
        click.echo("There is nothing to undo.")
        return
    if list_:
        for choice in choices[:SHOWN]:
            click.echo(f"{choice.handle}  {visible(choice.says)}")
        if len(choices) > SHOWN:
            click.echo(f"and {len(choices) - SHOWN} older ones")
        return
    chosen = choices[0] if id_ is None else find(choices, id_)
    reviews, _ = learner_reviews(load_course())
    records_here().record(VOID, {"event": chosen.event.id}, reviews)
    click.echo(f"Undone: {visible(chosen.says)}.")


def _undo_after(day: date) -> None:
    history = history_of(learner_log())
    events = dated_after(history.events, day)
    gone = {event.id for event in events}
    kept = fold_reviews([event for event in history.events if event.id not in gone], load_course())
    for event in events:
        records_here().record(VOID, {"event": event.id}, kept)
    what = "1 record" if len(events) == 1 else f"{len(events)} records"
    click.echo(f"Undone: {what} dated after {day}." if events else f"Nothing is dated after {day}.")
