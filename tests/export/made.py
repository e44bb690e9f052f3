"""Standings made for the tests: students with names of every kind, and reports in which little is alive."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from grader.batch.handed_in import Student
from grader.gradebook.standing import Lateness, Override, Standing
from grader.report import ExerciseResult, Report, TestResult

EXERCISES = ("normalization.layer_norm", "normalization.rms_norm")
HOSTILE = (
    "Ada Lovelace",
    "José Núñez, the 2nd",
    'Robert "Bobby" Tables',
    "two\nlines",
    "=cmd|' /C calc'!A0",
    "+49 123",
    "-2+3",
    "@SUM(A1)",
    "\ttab first",
    "\rreturn first",
    "<script>alert(1)</script>",
    "\x1b[31mred\x1b[0m",
    "\u202eturned",
    "half \ud800 pair",
    "n" * 200,
    "王小明",
    "Zoë; semicolon",
    "nul \0 inside",
)


def report(earned: tuple[int, int] = (10, 4), *, status: str = "", hostile: str = "", **fields) -> Report:
    """Of two exercises, 10 points each; status: of the second one."""
    results = []
    for id_, points in zip(EXERCISES, earned, strict=True):
        word = "passed" if points == 10 else "partial" if points else "failed"
        if id_ == EXERCISES[1]:
            word = status or word
        results.append(
            ExerciseResult(
                id_,
                word,
                points,
                10,
                message="" if word == "passed" else f"The gain is missing. {hostile}".rstrip(),
                evidence="" if word == "passed" else f"yours:    1.0 {hostile}\nexpected: 2.0",
                section="lessons/normalization/lesson.md#gain",
                output=f"printed {hostile}\n" if hostile else "",
                tests=(
                    TestResult("test_small", "passed", points, 5, "", 0.01),
                    TestResult("test_gain", word, 0, 5, hostile, 0.02),
                ),
            )
        )
    return Report("somebody", 12345, ("seccomp", "landlock"), tuple(results), level="standard", **fields)


def standing(id_: str, name: str = "", earned: tuple[int, int] = (10, 4), **fields) -> Standing:
    """Of one student; what counts is what was earned unless `final` says otherwise."""
    graded = fields.pop("report", report(earned))
    final = fields.pop("final", Decimal(graded.earned))
    return Standing(Student(id_, name, f"{id_}@example.org"), graded, final, **fields)


def fault(id_: str, name: str = "") -> Standing:
    """Of a student whom a fault of the grader's own kept from a verdict."""
    return standing(id_, name, report=report((10, 0), status="grader_fault"))


def by_hand(
    of: Standing, points: str, exercise: str | None = None, reason: str = "It was ours.", by: str = "T. Teacher"
) -> Standing:
    """The same with points that a person set."""
    override = Override(exercise, Decimal(points), reason, by, datetime(2026, 3, 1, tzinfo=UTC))
    return replace(of, final=Decimal(points), overrides=(*of.overrides, override))


def late(of: Standing, seconds: int, share: str) -> Standing:
    """The same, handed in late."""
    lost = Lateness(seconds, Decimal(share), f"{seconds} seconds late: {share} of the points are taken away.")
    return replace(of, late=lost, final=of.report.earned * (1 - Decimal(share)))
