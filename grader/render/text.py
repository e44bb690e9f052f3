"""A report as plain text: complete without colour, in ASCII terminals, in pipes and with a screen reader."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

import click

from grader.course.model import Course, Exercise
from grader.render.harmless import harmless
from grader.report import ExerciseResult, Report, WrittenReport

WIDTH = 100
NAME_WIDTH = 22
PROBLEMS_NAMED = 2
"""Of a lab report."""
TESTS_NAMED = 4
"""Failing tests that are named; of more, the number says enough."""
LINES_PRINTED = 5
NOT_RUN = "could not be run"
RIGHT = "right"
"""Inherited, and nobody is at fault: what it rests on was not handed in."""
PUBLIC = "These are the public checks; your instructor's grading asks more."
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


def render(report: Report, course: Course, student: str = "student", width: int = WIDTH) -> str:
    """The whole page. `student` is the folder as the person would type it; sentences are wrapped to `width`."""
    report = harmless(report)
    if report.untouched and not report.problems:
        return _welcome(report, course, student, width)
    blocks = [f"! {problem}" for problem in report.problems]
    for lesson in course.lessons:
        results = report.of_lesson(lesson.slug)
        if not results:
            continue
        earned, possible = sum(r.earned for r in results), sum(r.possible for r in results)
        lines = [click.style(f"{lesson.title} ({lesson.slug})", bold=True) + f"   {earned} of {possible} points"]
        column = max(NAME_WIDTH, *(len(result.name) for result in results))
        for result in results:
            lines += _exercise(result, width, column, told=result.message in report.problems)
        blocks.append("\n".join(lines))
    if report.lab_report is not None:
        blocks.append("\n".join(_lab_report(report.lab_report, width)))
    blocks.append("\n".join(_summary(report, course, student, width)))
    return "\n\n".join(blocks) + "\n"


def _exercise(
    result: ExerciseResult, width: int = WIDTH, column: int = NAME_WIDTH, told: bool = False
) -> Iterator[str]:
    """One exercise. column: the width of its name; told: its message stands at the head of the page already."""
    word = verdict(result)
    coloured = click.style(word, fg=COLOURS.get(result.status, "red"))
    yield f"  {result.name:<{column}} {result.earned:>3}/{result.possible:<3} {coloured}" + (
        " (see above)" if told else ""
    )
    if result.status == "not_started" or told:
        return
    if result.message:
        yield from _wrapped(result.message, width)
    if result.evidence:
        yield from (f"      {line}".rstrip() for line in result.evidence.splitlines())
    if result.output.strip() and not result.fine:
        printed = result.output.rstrip().splitlines()
        last = f", over all tests (the last {LINES_PRINTED} lines)" if len(printed) > LINES_PRINTED else ""
        yield f"      it printed{last}:"
        yield from (f"        {line}" for line in printed[-LINES_PRINTED:])
    for note in result.notes:
        yield from _wrapped(f"note: {note}", width)
    if not result.fine and result.status != "grader_fault":
        failing = [test.name for test in result.tests if test.status != "passed"]
        if result.status == "partial":
            yield from _wrapped(_failing_tests(failing, len(result.tests)), width)
            if sentence := unpaid(result):
                yield from _wrapped(sentence, width)
        if result.section:
            yield f"      read: {result.section}"


def _lab_report(written: WrittenReport, width: int) -> Iterator[str]:
    if written.fine:
        yield f"Lab report {written.path}: complete; all {written.claims} numbers stand in its records."
        return
    yield f"Lab report {written.path}: not ready yet."
    for problem in written.problems[:PROBLEMS_NAMED]:
        yield from _wrapped(problem, width, indent="  ")
    more = len(written.problems) - PROBLEMS_NAMED
    yield "  Mend it, then: anatomy lab report" + (f" (which names {more} more)" if more > 0 else "")


def verdict(result: ExerciseResult) -> str:
    """The verdict in words. Where file or signature are at fault, no test was run: nothing has raised anything."""
    if result.status == "error" and not any(test.seconds for test in result.tests):
        return NOT_RUN
    if result.status == "inherited" and result.inherits is None:
        return RIGHT
    return WORDS.get(result.status, result.status)


def unpaid(result: ExerciseResult) -> str:
    """Why tests that passed brought no points, where there are such: without it the points would not add up."""
    held_back = [test for test in result.tests if test.status == "passed" and test.earned < test.possible]
    if not held_back or result.fine:
        return ""
    points = sum(test.possible - test.earned for test in held_back)
    return (
        "Tests of shape, dtype, refusals and laws pay once the first value test passes: "
        f"{len(held_back)} passed, unpaid ({points} point{'' if points == 1 else 's'})."
    )


def _failing_tests(names: list[str], total: int) -> str:
    if len(names) <= TESTS_NAMED:
        return f"failing tests: {', '.join(names)}"
    return f"failing tests: {', '.join(names[:TESTS_NAMED])} and {len(names) - TESTS_NAMED} more of {total}"


def _wrapped(text: str, width: int, indent: str = "      ") -> Iterator[str]:
    for paragraph in text.splitlines():
        # Code that is quoted keeps its own indentation, so that a caret stays below what it points at.
        if paragraph.startswith(" "):
            yield indent + paragraph
            continue
        yield from textwrap.wrap(
            paragraph, width, initial_indent=indent, subsequent_indent=indent, break_long_words=False,
            break_on_hyphens=False,
        ) or [""]  # fmt: skip


def _summary(report: Report, course: Course, student: str, width: int) -> Iterable[str]:
    yield f"{report.earned} of {report.possible} points." + (f" {PUBLIC}" if report.public else "")
    yield from _next(report, course, student)
    yield ""
    yield from _wrapped(f"Seed {report.shown_seed}. Protection: {report.protection}.", width, indent="")


def _next(report: Report, course: Course, student: str) -> Iterable[str]:
    if report.fault:
        yield "A fault of the grader's own: no points were lost by it. Please report it with the message above."
    upcoming = next((r for r in report.exercises if not r.fine), None)
    if upcoming is None and report.lab_report is not None and not report.lab_report.fine:
        yield "All functions are right; the lab report is not ready yet."
        return
    if upcoming is None:
        yield "All right. See `anatomy status` for what comes next."
        return
    exercise = course.exercise(upcoming.id)
    yield ""
    what = "Write:" if upcoming.status == "not_started" else "Mend:"
    yield f"{what:<10} {exercise.name} in {student}/{exercise.lesson}.py"
    yield f"Grade it:  anatomy grade {exercise.id}"
    if exercise.hints:
        yield f"Stuck?     anatomy hint {exercise.id}"


def _welcome(report: Report, course: Course, student: str, width: int) -> str:
    first: Exercise = course.exercise(report.exercises[0].id)
    lesson = course.lesson(first.lesson)
    alone = len(report.exercises) == 1
    asked = f"`{first.name}` is not written yet." if alone else "nothing is written yet. Here is how to begin."
    lines = [
        click.style(course.title, bold=True),
        "",
        f"0 of {report.possible} points: {asked}",
        "",
        f"  1. Read    lessons/{lesson.slug}/lesson.md   ({lesson.title}, about {lesson.minutes.reading} minutes)",
        f"  2. Open    {student}/{lesson.slug}.py   and write `{first.name}` where it says TODO",
        f"  3. Run     anatomy grade {first.id}",
        "",
        f"Stuck?                 anatomy hint {first.id}",
        "Grade on every save:   anatomy grade --watch",
    ]
    if alone:
        return "\n".join(lines) + "\n"
    lines += ["", "Exercises:"]
    for each in course.lessons:
        results = report.of_lesson(each.slug)
        if results:
            lines += textwrap.wrap(
                f"{each.slug}: " + ", ".join(r.name for r in results),
                width,
                initial_indent="  ",
                subsequent_indent="    ",
            )
    return "\n".join(lines) + "\n"
