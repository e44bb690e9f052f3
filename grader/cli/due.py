"""`anatomy due`: which lessons want a review now. Quick enough for a shell prompt."""

import click

from grader.cli.output import format_option, print_json, wrapped
from grader.cli.reviewing import learner_standing
from grader.course.load import load_course
from grader.review.ladder import place

NOTHING_DUE = 1


@click.command(
    epilog="For a shell prompt: `anatomy due --quiet && echo '(review)'`, or $(anatomy due --count). Both leave notes "
    "on damaged records to the other commands."
)
@click.option("--quiet", "-q", is_flag=True, help="Print nothing; exit code 0 if a lesson is due, 1 if none is.")
@click.option("--count", is_flag=True, help="Print how many lessons are due, and nothing else.")
@format_option
@click.pass_context
def due(ctx: click.Context, quiet: bool, count: bool, format_: str) -> None:
    """Show which lessons are due for review today.

    Without --quiet the exit code is 0 whether something is due or not; 2 always means that nobody can tell.
    """
    if quiet + count + (format_ == "json") > 1:
        raise click.UsageError("--quiet, --count and --format json are three answers to one question: choose one.")
    course = load_course()
    standing, now = learner_standing(course, notes=not quiet and not count)
    places = [place(each, now.day) for each in standing.ladders.lessons.values() if each.anchor is not None]
    wanted = [each for each in places if each.is_due]
    if quiet:
        ctx.exit(0 if wanted else NOTHING_DUE)
    if count:
        click.echo(len(wanted))
        return
    from grader.review.listing import listing, nothing_due, record_of  # words, which a prompt has no use for

    if format_ == "json":
        print_json(record_of(wanted, now.day))
    elif wanted:
        click.echo(f"{listing(wanted, now.day)}\n\nBegin: anatomy review")
    else:
        click.echo(wrapped(nothing_due(places, now.day)))
