"""`anatomy review`: the quizzes that are due, and what comes when."""

from __future__ import annotations

import click

from grader.cli.output import format_option, print_json, wrapped
from grader.cli.reviewing import known_lesson, learner_reviews
from grader.course.load import load_course
from grader.errors import UserError
from grader.review.ladder import place
from grader.review.listing import listing, nothing_due, record_of, why_closed


@click.command()
@click.argument("lesson", metavar="[LESSON]", required=False)
@click.option("--list", "list_", is_flag=True, help="Show every completed lesson, its rung and when it is due.")
@click.option("--forecast", type=click.IntRange(1, 366), metavar="DAYS", help="Show what comes due in the next DAYS.")
@click.option("--practice", is_flag=True, help="Ask, although nothing is due: recorded, but no rung is taken.")
@format_option
def review(lesson: str | None, list_: bool, forecast: int | None, practice: bool, format_: str) -> None:
    """Ask again what is due: all of it, or LESSON alone.

    The quiz of a completed lesson comes back 1, 3, 7, 14 and 30 days after. A session holds eight questions; 80 % right
    at the first try passes. What you miss comes back until it is right, and in the next rung with new numbers.

    Exit code 0 if every session passed or nothing was due, 1 if one did not pass or was broken off.
    """
    if list_ and forecast is not None:
        raise UserError("Give --list or --forecast, not both.")
    if format_ == "json" and not list_ and forecast is None:
        raise UserError("--format json goes with --list or --forecast; a session is for people.")
    course = load_course()
    slug = known_lesson(course, lesson) if lesson else None
    reviews, today = learner_reviews(course)
    shown = [slug] if slug else [each.slug for each in course.lessons]
    places = [place(reviews.lessons[each], today.day) for each in shown if reviews.lessons[each].anchor]
    if forecast is not None:
        from grader.review import forecast as coming

        days = coming.forecast(reviews, today.day, forecast, shown)
        print_json(coming.record(days, today.day)) if format_ == "json" else click.echo(coming.told(days, today.day))
        return
    if list_:
        if format_ == "json":
            print_json(record_of(places, today.day))
        else:
            click.echo(listing(places, today.day))
        return
    from grader.cli.sessions import hold

    if practice:
        if slug is None:
            raise UserError("Name a lesson to practise, as in `anatomy review heads --practice`.")
        click.get_current_context().exit(hold(course, [slug], practice=True))
    if slug is not None:
        if closed := why_closed(slug, places, today.day):
            click.echo(wrapped(closed))
            return
        click.get_current_context().exit(hold(course, [slug], practice=today.practice_only))
    due = [each.lesson for each in places if each.is_due]
    if not due:
        click.echo(wrapped(nothing_due(places, today.day)))
        return
    click.get_current_context().exit(hold(course, due, practice=today.practice_only))
