"""`anatomy settings`: the one setting that matters to records."""

import click

from grader.cli.reviewing import learner_reviews
from grader.course.load import load_course
from grader.errors import UserError
from grader.records.clock import LATEST_ROLLOVER_HOUR
from grader.records.kinds import ROLLOVER_HOUR, SETTING
from grader.review.learner import records_here

ROLLOVER = "rollover-hour"


@click.command()
@click.argument("name", required=False, metavar="[rollover-hour")
@click.argument("value", required=False, metavar="HOUR]")
def settings(name: str | None, value: str | None) -> None:
    """Show the settings, or change one.

    rollover-hour: the hour of the night, 0 to 6, at which a new study day begins (4 unless you change it). What is
    recorded already keeps its day.
    """
    reviews, _ = learner_reviews(load_course())
    if name is None:
        click.echo(f"{ROLLOVER}  {reviews.rollover_hour}")
        return
    if name != ROLLOVER:
        raise UserError(f"There is no setting {name!r}; there is {ROLLOVER}.")
    if value is None:
        click.echo(str(reviews.rollover_hour))
        return
    if not (value.isascii() and value.isdigit() and int(value) <= LATEST_ROLLOVER_HOUR):
        raise UserError(f"{ROLLOVER} is a whole hour from 0 to {LATEST_ROLLOVER_HOUR}, not {value!r}.")
    records_here().record(SETTING, {"name": ROLLOVER_HOUR, "value": int(value)}, reviews)
    click.echo(f"From now on a study day begins at {int(value)}:00.")
