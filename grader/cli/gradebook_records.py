"""Points as people and as JSON read them, and the gradebook's records for `--format json`."""

from __future__ import annotations

import hashlib
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from grader.cli.output import visible
from grader.errors import UserError

if TYPE_CHECKING:
    from grader.gradebook.account import Change
    from grader.gradebook.assignment import Assignment
    from grader.gradebook.standing import Override, Standing


LONGEST_CELL = 40
"""Characters of an id or a name in a table."""


def plain(points: Decimal) -> str:
    """Points as people write them: `7`, `7.5`, `7.25`."""
    text = f"{points:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def parsed_points(text: str) -> Decimal:
    """Points that a person typed, with a point or a comma. Raises UserError."""
    try:
        return Decimal(text.strip().replace(",", "."))
    except InvalidOperation:
        raise UserError(f"{visible(text)!r} are no points. Write a number like 7 or 7.5.") from None


def short(text: str) -> str:
    """An id or a name in a table: one that is too long ends in the digits that its files' names end in."""
    shown = whole(text)
    if len(shown) <= LONGEST_CELL:
        return shown
    digits = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{shown[: LONGEST_CELL - 11]}...{digits}"


def whole(text: str) -> str:
    """A text of the instructor's own: visible, and not cut off."""
    return "".join(map(visible, text))


def assignment_record(assignment: Assignment) -> dict[str, Any]:
    """As `--format json` prints it; percentages and points are numbers."""
    record = assignment.to_dict()
    late = record["late"]
    return record | {"late": late | {key: number(Decimal(late[key])) for key in ("per_day", "least")}}


def standing_record(standing: Standing) -> dict[str, Any]:
    """One student as `--format json` prints it."""
    late = standing.late
    return {
        "student": standing.student.id,
        "name": standing.student.name,
        "email": standing.student.email,
        "final": number(standing.final),
        "earned": standing.report.earned,
        "possible": standing.possible,
        "submitted": standing.submitted.isoformat() if standing.submitted else None,
        "late": {"seconds": late.seconds, "share": number(late.share), "says": late.says},
        "overrides": [_override_record(override) for override in standing.overrides],
        "fault": standing.report.fault,
        "damaged": standing.damaged,
    }


def _override_record(override: Override) -> dict[str, Any]:
    return {
        "exercise": override.exercise,
        "points": number(override.points),
        "reason": override.reason,
        "by": override.by,
        "at": override.at.isoformat(),
    }


def change_record(change: Change) -> dict[str, Any]:
    """One line of the history as `--format json` prints it."""
    return {
        "number": change.number,
        "kind": change.kind,
        "at": change.at.isoformat(),
        "says": change.says,
        "reason": change.reason,
        "by": change.who,
        "before": None if change.before is None else number(change.before),
        "after": None if change.after is None else number(change.after),
        "withdrawn": change.withdrawn,
    }


def number(value: Decimal) -> int | float:
    """A decimal of few digits as JSON writes it digit by digit: the shortest text of the nearest double is its own."""
    return int(value) if value == value.to_integral_value() else float(value)
