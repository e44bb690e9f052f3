"""Gradescope's results.json, made from a report: a test an exercise."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Literal, get_args

from grader import __version__
from grader.export.cells import plain
from grader.export.comment import by_hand, sentences
from grader.export.marks import graded
from grader.gradebook.standing import Standing
from grader.render.text import LINES_PRINTED, unpaid, verdict
from grader.report import ExerciseResult, Report

Visibility = Literal["visible", "hidden", "after_due_date", "after_published"]
VISIBILITIES: tuple[Visibility, ...] = get_args(Visibility)
FAULT = "The grader itself failed on this submission. No points were lost by it, and the course staff can run it again."
LONGEST = 20_000
"""Characters of one output."""

Extra = Mapping[str, str | int | float | None]


def results(
    graded_submission: Report | Standing,
    *,
    visibility: Visibility = "visible",
    stdout_visibility: Visibility = "hidden",
    seconds: float | None = None,
    remarks: tuple[str, ...] = (),
    extra: Extra | None = None,
) -> dict[str, Any]:
    """The document for one submission. Of a Standing the score is what counts; of a Report, what was earned.

    visibility: of the tests; stdout_visibility: of what the autograder printed; seconds: how long it took; remarks:
    sentences for the student; extra: more to be kept in `extra_data`. Expected values are shown where the report shows
    them; a held-out seed is not. While a fault of the grader's own is in the way there is no score anywhere (see
    `without_score`).
    """
    standing = graded_submission if isinstance(graded_submission, Standing) else None
    report = standing.report if standing else graded_submission
    assert isinstance(report, Report)
    if not (graded(standing) if standing else not report.fault):
        return without_score(FAULT, stdout_visibility=stdout_visibility, seconds=seconds, extra=extra)
    earned = standing.final if standing else report.earned
    told = sentences(standing) if standing else (f"{report.earned} of {report.possible} points.",)
    footer = f"Seed {report.shown_seed}. Protection: {report.protection}."
    return {
        **_frame("\n".join((*told, *remarks, *report.problems, footer)), stdout_visibility, seconds),
        "score": _json_number(earned),
        "visibility": visibility,
        "tests": [_test(each, standing, report, visibility) for each in report.exercises],
        "extra_data": {**_kept(report), **(extra or {})},
    }


def without_score(
    sentence: str,
    *,
    stdout_visibility: Visibility = "hidden",
    seconds: float | None = None,
    extra: Extra | None = None,
) -> dict[str, Any]:
    """The document when there is no verdict: a sentence, and no score.

    Gradescope shows a submission without a score as not graded, and lets the staff run the autograder again. A score of
    0 would count.
    """
    kept = {"extra_data": dict(extra)} if extra else {}
    return {**_frame(sentence, stdout_visibility, seconds), **kept}


def without_modules(
    sentence: str, *, stdout_visibility: Visibility = "hidden", seconds: float | None = None, extra: Extra | None = None
) -> dict[str, Any]:
    """The document when nothing that could be graded was handed in: a sentence, and 0 points."""
    return {**without_score(sentence, stdout_visibility=stdout_visibility, seconds=seconds, extra=extra), "score": 0}


def to_json(document: Mapping[str, Any]) -> bytes:
    """The document in ASCII, since it is read by programs of others."""
    return (json.dumps(document, indent=2) + "\n").encode("ascii")


def _frame(output: str, stdout_visibility: Visibility, seconds: float | None) -> dict[str, Any]:
    frame = {"output": _text(output), "output_format": "text", "stdout_visibility": stdout_visibility}
    return frame if seconds is None else {**frame, "execution_time": round(seconds, 3)}


def _test(result: ExerciseResult, standing: Standing | None, report: Report, visibility: Visibility) -> dict[str, Any]:
    overrides = [each for each in (standing.overrides if standing else ()) if each.exercise == result.id]
    points = overrides[-1].points if overrides else result.earned
    lines = [*map(by_hand, overrides), *_output(result, told=result.message in report.problems)]
    return {
        "name": result.id,
        "score": _json_number(points),
        "max_score": result.possible,
        "status": "passed" if result.fine else "failed",
        "output": _text("\n".join(lines)),
        "output_format": "text",
        "visibility": visibility,
    }


def _output(result: ExerciseResult, told: bool) -> Iterator[str]:
    """What the terminal shows of an exercise. told: its message stands at the head already."""
    yield verdict(result) + (" (see above)" if told else "")
    if result.status == "not_started" or told:
        return
    if result.message:
        yield result.message
    if not_paid := unpaid(result):
        yield not_paid
    if result.evidence:
        yield result.evidence
    printed = result.output.replace("\r\n", "\n").rstrip().splitlines()
    if printed and not result.fine:
        yield f"It printed (the last {LINES_PRINTED} lines):" if len(printed) > LINES_PRINTED else "It printed:"
        yield from (f"  {line}" for line in printed[-LINES_PRINTED:])
    yield from (f"Note: {note}" for note in result.notes)
    failing = [test.name for test in result.tests if test.status != "passed"]
    if result.status == "partial" and failing:
        yield f"Failing tests: {', '.join(failing)}"
    if result.section and not result.fine:
        yield f"Read: {result.section}"


def _kept(report: Report) -> dict[str, Any]:
    """What is kept with the submission: what decided the verdict, without secrets."""
    return {
        "grader": f"decoder-anatomy {__version__}",
        "seed": report.shown_seed,
        "protection": _text(report.protection),
        "exercises": {
            each.id: {"status": each.status, "misconception": each.misconception, "inherits": each.inherits}
            for each in report.exercises
        },
    }


def _text(text: str) -> str:
    shown = plain(text)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}\n..."


def _json_number(points: Decimal | int) -> int | float:
    return int(points) if points == int(points) else float(points)
