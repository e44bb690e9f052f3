"""`anatomy calendar`: the reviews ahead as an .ics file."""

import click

from grader.cli.destination import STANDARD_OUTPUT, output_option, write_output
from grader.cli.reviewing import learner_standing
from grader.course.load import load_course
from grader.errors import UserError
from grader.records import clock
from grader.review.forecast import coming


@click.command("calendar")
@output_option("FILE.ics")
def calendar_(output: str) -> None:
    """Write the reviews ahead as a calendar of whole days, to import into any calendar.

    Due dates never move, so one import is good for a whole ladder. Import again after completing another lesson: what
    is there already is found again. Lessons that are paused are left out.
    """
    course = load_course()
    standing, now = learner_standing(course)
    ahead = coming(standing.ladders, now.day)
    if not ahead:
        raise UserError(
            "No review lies ahead, so no calendar was written. Reviews begin the day after a lesson is completed: "
            "`anatomy status` shows what comes next."
        )
    from grader.review.calendar import calendar_bytes

    write_output(output, calendar_bytes(ahead, course, clock.now()))
    if output != STANDARD_OUTPUT:
        click.echo(f"Wrote {output}: {len(ahead)} reviews, the first on {ahead[0].due}, the last on {ahead[-1].due}.")
