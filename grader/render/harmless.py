"""A report whose texts a terminal can show without obeying them."""

from __future__ import annotations

import re
from dataclasses import replace

from grader.report import ExerciseResult, Report, WrittenReport

_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but for tab and line feed, and those that turn the direction of writing round."""


def harmless_text(text: str) -> str:
    """The text with each command spelled out, as in `\\x1b`: learners' code can print and raise anything."""
    return _COMMANDS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def harmless(report: Report) -> Report:
    """The report with its texts made harmless."""
    return replace(
        report,
        submission=harmless_text(report.submission),
        exercises=tuple(_harmless_result(result) for result in report.exercises),
        problems=tuple(harmless_text(problem) for problem in report.problems),
        lab_report=_harmless_report(report.lab_report),
    )


def _harmless_report(written: WrittenReport | None) -> WrittenReport | None:
    if written is None:
        return None
    return replace(written, problems=tuple(harmless_text(problem) for problem in written.problems))


def _harmless_result(result: ExerciseResult) -> ExerciseResult:
    return replace(
        result,
        message=harmless_text(result.message),
        evidence=harmless_text(result.evidence),
        output=harmless_text(result.output.replace("\r\n", "\n")),
        notes=tuple(harmless_text(note) for note in result.notes),
        tests=tuple(replace(test, message=harmless_text(test.message)) for test in result.tests),
    )
