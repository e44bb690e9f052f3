"""What a student reads beside the grade on the platform: a few lines, as HTML in which nothing of theirs is alive."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from html import escape

from grader.export.cells import number, plain
from grader.export.marks import graded
from grader.gradebook.standing import Override, Standing
from grader.render.text import verdict
from grader.report import ExerciseResult

MARKER = "decoder-anatomy: "
"""Begins our part of a comment, so that a later export replaces it and nothing else."""
NAMED = 12
"""Exercises that a comment names; the feedback page has them all."""
_BREAK = "<br />"
_LONGEST = 300


def sentences(standing: Standing) -> Iterator[str]:
    """The points and how they came about, as plain text, a sentence each."""
    if graded(standing):
        yield points_of(standing.final, standing.possible)
    else:
        yield "Not graded yet: the grader itself failed, and no points were lost by it."
    if standing.late.says:
        yield standing.late.says
    for override in standing.overrides:
        yield by_hand(override)


def points_of(points: Decimal, possible: int) -> str:
    """`7.5 of 10 points`; a person may give more than are possible."""
    if points > possible:
        return f"{number(points)} points, where {possible} are possible."
    return f"{number(points)} of {possible} points."


def by_hand(override: Override) -> str:
    """What was set by hand, and by whom. Why is for whoever keeps the book."""
    what = override.exercise or "All points"
    return f"{what} set by hand by {override.by}: {number(override.points)}."


def comment(standing: Standing) -> str:
    """The whole comment, on one line."""
    report = standing.report
    given = {each.exercise for each in standing.overrides}  # what was said of them stands above
    wrong = [each for each in report.exercises if not each.fine and each.id not in given]
    fine = sum(each.fine for each in report.exercises)
    found = "By the tests alone, " if given else ""
    lines = [*sentences(standing), *report.problems]
    lines.append(f"{found}{fine} of {len(report.exercises)} exercises passed.")
    lines += [_exercise(each, told=each.message in report.problems) for each in wrong[:NAMED]]
    if len(wrong) > NAMED:
        lines.append(f"And {len(wrong) - NAMED} more.")
    return MARKER + _BREAK.join(_safe(line) for line in lines)


def merged(found: str, ours: str) -> str:
    """A comment with ours in it: what a person wrote before it stays, an earlier one of ours goes."""
    theirs = found.partition(MARKER)[0].strip().removesuffix(_BREAK)
    if theirs in ("", "-"):
        return ours
    return f"{theirs}{_BREAK}{ours}"


def _exercise(result: ExerciseResult, told: bool) -> str:
    line = f"{result.id}: {result.earned} of {result.possible}, {verdict(result)}"
    said = result.message.partition("\n")[0]
    if result.status in ("not_started", "grader_fault") or told or not said:
        return line
    return f"{line}: {said}"


def _safe(line: str) -> str:
    text = plain(" ".join(line.split()))
    return escape(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")
