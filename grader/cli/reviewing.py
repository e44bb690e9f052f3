"""What the commands of spaced review share: the learner's reviews, and which study day it is."""

from datetime import date

import click

from grader.cli.learner import learner_log, name_damage
from grader.cli.output import wrapped
from grader.course.model import Course
from grader.places import cache_folder
from grader.records import clock
from grader.records.fold import fold
from grader.records.log import History, Log
from grader.review.history import Reviews, fold_reviews
from grader.review.kept import Standing, keep_standing, recall_standing, standing_of, standing_stamps
from grader.review.ladder import place
from grader.review.learner import records_here
from grader.review.today import Today, today


def learner_reviews(course: Course, *, notes: bool = True) -> tuple[Reviews, Today]:
    """All reviews so far, and today. `notes`: name on stderr what is wrong with the log or the clock."""
    known = records_here().known(course)
    if notes:
        name_damage(known.damage)
        _name_clock(known.today)
    return known.reviews, known.today


def learner_standing(course: Course, *, notes: bool = True) -> tuple[Standing, Today]:
    """Progress and ladders, and today: as they were kept if the log is still the same, from the log otherwise.

    `notes`: name on stderr what is wrong with the log or the clock.
    """
    log, cache = learner_log(), cache_folder()
    stamps = standing_stamps(log, course)
    standing = recall_standing(log, stamps, cache)
    if standing is None:
        history = log.read()
        standing = standing_of(fold(history.events, course), fold_reviews(history.events, course))
        if not history.damage:
            keep_standing(standing, log, stamps, cache)
        elif notes:  # damage is named each time, so nothing is kept of a damaged log
            name_damage(history.damage)
    now = today(clock.now(), standing.ladders)
    if notes:
        _name_clock(now)
    return standing, now


def history_of(log: Log) -> History:
    """All that is recorded. Damage is named on stderr and never stops a command."""
    history = log.read()
    name_damage(history.damage)
    return history


def lessons_due(reviews: Reviews, today: date) -> list[str]:
    """The lessons that want a session today, in the order of the course."""
    completed = (history for history in reviews.lessons.values() if history.anchor is not None)
    return [history.lesson for history in completed if place(history, today).is_due]


def known_lesson(course: Course, typed: str) -> str:
    """The slug of the lesson that was typed. Raises UnknownName."""
    return course.lesson(typed).slug


def _name_clock(now: Today) -> None:
    if now.warning:
        click.echo(wrapped(f"Note: {now.warning}"), err=True)
