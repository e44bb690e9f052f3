"""A report as plain text: complete without colour, in ASCII terminals, in pipes and with a screen reader."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

import click

from grader.course.model import Course, Exercise
from grader.report import ExerciseResult, Report

WIDTH = 100
WORDS = {
    "not_started": "not started",
    "passed": "passed",
    "partial": "partly right",
    "failed": "failed",
    "error": "raised an error",
    "timeout": "ran out of time",
    "crashed": "crashed",
    "memory": "ran out of memory",
    "forbidden": "not allowed",
    "inherited": "right (inherits a fault)",
    "grader_fault": "grader fault",
}
COLOURS = {
    "passed": "green",
    "inherited": "green",
    "partial": "yellow",
    "not_started": None,
    "grader_fault": "magenta",
}


def render(report: Report, course: Course, student: str = "student") -> str:
    """The whole page. `student` is the folder as the person would type it."""
    if report.untouched and not report.problems:
        return _welcome(report, course, student)
    blocks = [f"! {problem}" for problem in report.problems]
    for lesson in course.lessons:
        results = report.of_lesson(lesson.slug)
        if not results:
            continue
        earned, possible = sum(r.earned for r in results), sum(r.possible for r in results)
        lines = [click.style(f"{lesson.title} ({lesson.slug})", bold=True) + f"   {earned} of {possible} points"]
        for result in results:
            lines += _exercise(result)
        blocks.append("\n".join(lines))
    blocks.append("\n".join(_summary(report, course, student)))
    return "\n\n".join(blocks) + "\n"


def _exercise(result: ExerciseResult) -> Iterator[str]:
    word = WORDS.get(result.status, result.status)
    coloured = click.style(word, fg=COLOURS.get(result.status, "red"))
    yield f"  {result.name:<22} {result.earned:>3}/{result.possible:<3} {coloured}"
    if result.status == "not_started":
        return
    if result.message:
        yield from _wrapped(result.message)
    if result.evidence:
        yield from (f"      {line}".rstrip() for line in result.evidence.splitlines())
    if result.output.strip() and not result.fine:
        yield "      it printed:"
        yield from (f"        {line}" for line in result.output.strip().splitlines()[-5:])
    yield from (f"      note: {note}" for note in result.notes)
    if not result.fine and result.status != "grader_fault":
        failing = [test.name for test in result.tests if test.status != "passed"]
        if result.status == "partial":
            yield from _wrapped(f"failing tests: {', '.join(failing)}")
        if result.section:
            yield f"      read: {result.section}"


def _wrapped(text: str) -> Iterator[str]:
    for paragraph in text.splitlines():
        yield from textwrap.wrap(
            paragraph, WIDTH, initial_indent="      ", subsequent_indent="      ", break_long_words=False
        ) or [""]


def _summary(report: Report, course: Course, student: str) -> Iterable[str]:
    yield f"{report.earned} of {report.possible} points.   Seed {report.seed}; protections: {', '.join(report.layers)}."
    if report.fault:
        yield "A fault of the grader's own: no points were lost by it. Please report it with the message above."
    upcoming = next((r for r in report.exercises if not r.fine), None)
    if upcoming is None:
        yield "All right. See `anatomy status` for what comes next."
        return
    exercise = course.exercise(upcoming.id)
    if upcoming.status == "not_started":
        yield f"Next: write `{exercise.name}` in {student}/{exercise.lesson}.py, then `anatomy grade {exercise.id}`."
    else:
        yield f"Next: mend `{exercise.name}` in {student}/{exercise.lesson}.py, then `anatomy grade {exercise.id}`."
    if exercise.hints:
        yield f"Stuck? `anatomy hint {exercise.id}`"


def _welcome(report: Report, course: Course, student: str) -> str:
    first: Exercise = course.exercise(report.exercises[0].id)
    lesson = course.lesson(first.lesson)
    lines = [
        click.style(course.title, bold=True),
        "",
        f"0 of {report.possible} points: nothing is written yet. Here is how to begin.",
        "",
        f"  1. Read    lessons/{lesson.slug}/lesson.md   ({lesson.title}, about {lesson.minutes.reading} minutes)",
        f"  2. Open    {student}/{lesson.slug}.py   and write `{first.name}` where it says TODO",
        f"  3. Run     anatomy grade {first.id}",
        "",
        "`anatomy grade --watch` grades each time you save; `anatomy hint` helps when you are stuck.",
        "",
        "Exercises:",
    ]
    for each in course.lessons:
        results = report.of_lesson(each.slug)
        if results:
            lines += textwrap.wrap(
                f"{each.slug}: " + ", ".join(r.name for r in results),
                WIDTH,
                initial_indent="  ",
                subsequent_indent="    ",
            )
    return "\n".join(lines) + "\n"
