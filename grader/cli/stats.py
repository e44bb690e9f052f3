"""`anatomy stats`: what has stayed, what is weak, what comes."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from grader.cli.output import Row, Table, format_option, print_json, print_table, visible
from grader.cli.reviewing import learner_reviews
from grader.course.load import load_course
from grader.course.model import Course
from grader.review import forecast
from grader.review.reading_again import concepts_asked, exercise_of_item
from grader.review.stats import ConceptScore, Flagged, Retention, flagged, retention, weakest_concepts

DAYS = 30


@click.command()
@format_option
def stats(format_: str) -> None:
    """Show how the reviews went, rung by rung, which concepts are weak, and what the next 30 days ask for."""
    course = load_course()
    reviews, now = learner_reviews(course)
    rungs = retention(reviews, now.day)
    weak = weakest_concepts(reviews, concepts_asked(course, reviews))
    marked = flagged(reviews)
    days = forecast.forecast(reviews, now.day, DAYS)
    if format_ == "json":
        print_json(
            forecast.record(days, now.day)
            | {
                "retention": [_rung_record(each) for each in rungs],
                "weakest": [asdict(each) | {"share": each.share} for each in weak],
                "flagged": [asdict(each) for each in marked],
            }
        )
        return
    if any(each.taken or each.missed for each in rungs):
        click.echo("What has stayed\n")
        print_table(_rung_table(rungs))
    else:
        click.echo("No review has counted yet.")
    _show_weak(weak)
    _show_flagged(course, marked)
    click.echo(f"\nThe next {DAYS} days\n")
    click.echo(forecast.told(days, now.day))


def _rung_record(each: Retention) -> dict[str, Any]:
    record = asdict(each) | {"days": each.days, "share": each.share}
    return record | {"rung": min(each.rung, 5), "extension": each.days is None}


def _rung_table(rungs: Sequence[Retention]) -> Table:
    rows = [
        Row(
            (
                _name(each),
                str(each.taken),
                str(each.passed),
                _percent(each.share),
                _percent(each.score),
                str(each.missed),
            )
        )
        for each in rungs
        if each.days is not None or each.taken
    ]
    columns = ("Rung", "Taken", "Passed", "Share", "Mean score", "Missed")
    return Table(columns, rows, right=frozenset(columns[1:]))


def _name(each: Retention) -> str:
    return "repeat of rung 5" if each.days is None else f"{each.rung} (day {each.days})"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _show_weak(weak: Sequence[ConceptScore]) -> None:
    if not weak:
        return
    click.echo("\nWeakest concepts\n")
    rows = [Row((each.concept, str(each.asked), str(each.right), _percent(each.share))) for each in weak]
    columns = ("Concept", "Asked", "Right at first", "Share")
    print_table(Table(columns, rows, right=frozenset(columns[1:])))


def _show_flagged(course: Course, marked: Sequence[Flagged]) -> None:
    if not marked:
        return
    from grader.review.summary import spelled

    click.echo("\nMissed again and again; read these once more\n")
    for each in marked:
        page = f"lessons/{each.lesson}/lesson.md"
        if exercise := exercise_of_item(course, each.lesson, each.item):
            page += f", section #{exercise.section}"
        what = f"{each.lesson}, {spelled(each.item, each.lesson)}"
        click.echo(f"{visible(what)}: missed in {each.missed} reviews\n  {page}")
