"""`anatomy list`: the lessons and exercises of the course."""

from typing import Any

import click

from grader.cli.output import Row, Table, format_option, print_json, print_table
from grader.course.load import load_course
from grader.course.model import Course, duration


@click.command("list")
@format_option
def list_(format_: str) -> None:
    """Show the lessons and exercises of the course, with their points and minutes."""
    course = load_course()
    if format_ == "json":
        print_json(course_record(course))
        return
    minutes = sum(lesson.minutes.total for lesson in course.lessons)
    click.echo(course.title)
    click.echo(
        f"{len(course.lessons)} lessons, {len(course.exercises)} exercises, {course.points} points, "
        f"about {duration(minutes)}.\n"
    )
    print_table(_table(course))
    first = course.exercises[0]
    click.echo(f"\nGrade a lesson with `anatomy grade {first.lesson}`, one exercise with `anatomy grade {first.id}`.")


def course_record(course: Course) -> dict[str, Any]:
    """What `--format json` prints. Points are whole numbers, times are minutes."""
    return {
        "version": 1,
        "title": course.title,
        "points": course.points,
        "lessons": [
            {
                "lesson": lesson.slug,
                "title": lesson.title,
                "summary": lesson.summary,
                "needs": list(lesson.needs),
                "minutes": {
                    "reading": lesson.minutes.reading,
                    "lab": lesson.minutes.lab,
                    "review": lesson.minutes.review,
                },
                "points": lesson.points,
                "exercises": [
                    {
                        "id": exercise.id,
                        "points": exercise.points,
                        "section": exercise.section,
                        "concepts": list(exercise.concepts),
                        "hints": len(exercise.hints),
                    }
                    for exercise in lesson.exercises
                ],
            }
            for lesson in course.lessons
        ],
    }


def _table(course: Course) -> Table:
    rows: list[Row] = []
    for number, lesson in enumerate(course.lessons, start=1):
        cells = (f"{number}. {lesson.title}", str(lesson.points), duration(lesson.minutes.total))
        rows.append(Row(cells, heading=True))
        rows += [Row((f"   {exercise.id}", str(exercise.points), "")) for exercise in lesson.exercises]
    return Table(("Lesson and exercise", "Points", "Time"), rows, right=frozenset({"Points", "Time"}))
