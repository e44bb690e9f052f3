"""Where a student's points come from: what the tests gave, what a person gave, what being late cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from grader.gradebook.moments import zone_of
from grader.gradebook.standing import Override, Standing

_LENGTHS = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))


@dataclass(frozen=True, slots=True)
class Change:
    """One line between what was earned and what counts. by_hand: who gave it, where a person did; becomes:
    the points that replace all before them, None for points that are added or taken away."""

    says: str
    points: Decimal
    by_hand: Override | None = None
    becomes: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Ledger:
    """earned: by the tests; changes: in order; final: what counts. given: the points that a person gave to single
    exercises, by id."""

    earned: int
    possible: int
    changes: tuple[Change, ...]
    final: Decimal
    given: Mapping[str, Override]

    @property
    def plain(self) -> bool:
        """Whether what the tests gave is what counts."""
        return not self.changes


def ledger(standing: Standing) -> Ledger:
    """The lines that lead from the points of the report to those that count. They always add up."""
    overrides = sorted(standing.overrides, key=lambda each: each.at)
    whole = next((each for each in reversed(overrides) if each.exercise is None), None)
    given = {each.exercise: each for each in overrides if each.exercise is not None}
    report = standing.report
    so_far = Decimal(report.earned)
    changes: list[Change] = []
    for result in report.exercises:
        if (by_hand := given.get(result.id)) is not None:
            changes.append(Change(result.id, by_hand.points - result.earned, by_hand))
            so_far += by_hand.points - result.earned
    if whole is not None:
        changes.append(Change("", standing.final - so_far, whole, becomes=standing.final))
    elif standing.final != so_far or standing.late.says:
        rest = standing.final - so_far
        changes.append(Change(standing.late.says or ("Rounding" if abs(rest) < 1 else "Other changes"), rest))
    return Ledger(report.earned, report.possible, tuple(changes), standing.final, given)


def moment(at: datetime, zone: str | None = None) -> str:
    """A time with its offset, as in `2026-03-02 23:59 +01:00`. zone: whose clocks show it, by default those of `at`; in
    UTC on a machine that does not know the zone."""
    if zone is not None:
        try:
            at = at.astimezone(zone_of(zone))
        except ValueError:
            at = at.astimezone(UTC)
    text = at.isoformat(sep=" ", timespec="minutes")
    date_and_time, offset = text[:16], text[16:]
    return f"{date_and_time} {'UTC' if offset in ('+00:00', 'Z') else offset}".rstrip()


def length(seconds: int) -> str:
    """How long, in its two largest units: `2 days 3 hours`."""
    parts = []
    for name, size in _LENGTHS:
        number, seconds = divmod(seconds, size)
        if number:
            parts.append(f"{number} {name}{'' if number == 1 else 's'}")
        elif parts:
            break
    return " ".join(parts[:2]) or "no time"
