"""`anatomy status`: progress from the log, what is due for review, and what to do next."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import click

from grader.cli.learner import learner_workspace
from grader.cli.output import Row, Table, format_option, print_json, print_table, visible
from grader.cli.reviewing import learner_standing, lessons_due
from grader.course.load import load_course
from grader.course.model import Course, Exercise, Lesson
from grader.errors import UserError
from grader.records.fold import Progress
from grader.records.next_step import NextStep, next_step


@click.command()
@format_option
def status(format_: str) -> None:
    """Show which exercises have passed, which lessons are due for review, and what to do next."""
    course = load_course()
    standing, now = learner_standing(course)
    progress = standing.progress
    step = next_step(course, progress, in_workspace=_in_workspace(course))
    due = lessons_due(standing.ladders, now.day)
    if format_ == "json":
        print_json(_record(course, progress, due, step, now.day))
        return
    done = sum(progress.exercise(exercise).latest.done for exercise in course.exercises)
    click.echo(f"{done} of {len(course.exercises)} exercises passed.\n")
    print_table(_table(course, progress))
    if due:
        click.echo(f"\nDue for review: {', '.join(due)}.\n  anatomy review")
    click.echo(f"\nNext: {step.says}")
    if step.command:
        click.echo(f"  {step.command}")


def _in_workspace(course: Course) -> bool:
    try:
        learner_workspace(course)
    except UserError:
        return False
    return True


def _words(status_: str) -> str:
    return visible(status_.replace("_", " "))


def _table(course: Course, progress: Progress) -> Table:
    rows: list[Row] = []
    for number, lesson in enumerate(course.lessons, start=1):
        done, earned = _totals(lesson, progress)
        completed = progress.completed.get(lesson.slug)
        state = f"completed {completed}" if completed else f"{done} of {len(lesson.exercises)} passed"
        rows.append(Row((f"{number}. {lesson.title}", state, f"{earned}/{lesson.points}", "", ""), heading=True))
        for exercise in lesson.exercises:
            each = progress.exercise(exercise)
            points = f"{each.latest.earned}/{exercise.points}"
            hints = f"{each.hints}/{len(exercise.hints)}"
            cells = (f"   {exercise.id}", _words(each.latest.status), points, str(each.attempts), hints)
            rows.append(Row(cells))
    columns = ("Lesson and exercise", "Status", "Points", "Attempts", "Hints")
    return Table(columns, rows, right=frozenset({"Points", "Attempts", "Hints"}))


def _totals(lesson: Lesson, progress: Progress) -> tuple[int, int]:
    standings = [progress.exercise(exercise).latest for exercise in lesson.exercises]
    return sum(standing.done for standing in standings), sum(standing.earned for standing in standings)


def _record(course: Course, progress: Progress, due: Sequence[str], step: NextStep, today: date) -> dict[str, Any]:
    return {
        "version": 1,
        "today": today.isoformat(),
        "lessons": [_lesson_record(lesson, progress) for lesson in course.lessons],
        "due": list(due),
        "next": {
            "exercise": step.exercise.id if step.exercise else None,
            "command": step.command,
            "says": step.says,
        },
    }


def _lesson_record(lesson: Lesson, progress: Progress) -> dict[str, Any]:
    completed = progress.completed.get(lesson.slug)
    return {
        "lesson": lesson.slug,
        "completed": completed.isoformat() if completed else None,
        "earned": _totals(lesson, progress)[1],
        "possible": lesson.points,
        "exercises": [_exercise_record(exercise, progress) for exercise in lesson.exercises],
    }


def _exercise_record(exercise: Exercise, progress: Progress) -> dict[str, Any]:
    each = progress.exercise(exercise)
    return {
        "id": exercise.id,
        "status": each.latest.status,
        "earned": each.latest.earned,
        "possible": exercise.points,
        "best": {"status": each.best.status, "earned": each.best.earned},
        "attempts": each.attempts,
        "hints": each.hints,
        "misconceptions": list(each.misconceptions),
    }
