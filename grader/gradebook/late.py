"""What being late costs. Nothing here reads a clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from grader.gradebook.standing import Lateness

_DAY = timedelta(days=1)
_DAY_SECONDS = 86_400
_SECOND = timedelta(seconds=1)
_CENT = Decimal("0.01")

UNKNOWN = "The platform marked this as late without saying by how much: nothing is taken away."
NO_DUE_TIME = "The platform marked this as late, but the assignment has no due time: nothing is taken away."


@dataclass(frozen=True, slots=True)
class LatePolicy:
    """What the instructor decided. The default takes nothing away.

    per_day: percent of the earned points for each begun day (24 hours, not a date); grace: minutes that are forgiven;
    cut_off: days after which nothing counts; least: percent of the earned points that stay until the cut-off.
    """

    per_day: Decimal = Decimal(0)
    grace: int = 0
    cut_off: int | None = None
    least: Decimal = Decimal(0)

    def __str__(self) -> str:
        parts = [f"{_plain(self.per_day)} % of the earned points for each begun day" if self.per_day else ""]
        parts.append(f"at least {_plain(self.least)} % stay" if self.least else "")
        parts.append(f"nothing counts after {_days(self.cut_off)}" if self.cut_off is not None else "")
        parts.append(f"{self.grace} min of grace" if self.grace else "")
        return ", ".join(part for part in parts if part) or "nothing is taken away"


NOTHING = LatePolicy()
"""Being late costs nothing."""


def lateness(
    policy: LatePolicy,
    due: datetime | None,
    submitted: datetime | None,
    flagged_late: bool = False,
    extension: datetime | None = None,
) -> Lateness:
    """How late, and what that costs.

    The due moment itself is in time. An extension moves it for one student, and never to an earlier one. Within the
    grace nothing is late; after it the full lateness counts, the grace included. `seconds` is rounded up. Where the
    time is known the platform's mark is not looked at: it speaks of the platform's due time.

    Args:
        due, submitted, extension: aware, in any zones.

    Raises:
        ValueError: one of them has no offset.
    """
    for moment in (due, submitted, extension):
        if moment is not None and moment.tzinfo is None:
            raise ValueError(f"{moment} has no offset: nobody knows when that is")
    if due is None:
        return Lateness(None, says=NO_DUE_TIME) if flagged_late else Lateness(0)
    if submitted is None:
        return Lateness(None, says=UNKNOWN if flagged_late else "")
    # In UTC: Python subtracts two times of one zone by what the clocks show, and they jump twice a year.
    due = due.astimezone(UTC)
    if extension is not None:
        due = max(due, extension.astimezone(UTC))
    over = submitted.astimezone(UTC) - due
    if over <= timedelta(minutes=policy.grace):
        return Lateness(0)
    seconds = -(-over // _SECOND)
    if policy.cut_off is not None and over > policy.cut_off * _DAY:
        ended = f"after {_days(policy.cut_off)} nothing counts" if policy.cut_off else "nothing counts any more"
        return Lateness(seconds, Decimal(1), f"Handed in {_told(seconds)} late: {ended}.")
    days = -(-over // _DAY)
    share = min(days * policy.per_day, 100 - policy.least) / 100
    begun = (
        "" if seconds == days * _DAY_SECONDS else f", which is {'1 begun day' if days == 1 else f'{days} begun days'}"
    )
    taken = f"Handed in {_told(seconds)} late{begun}: {_plain(share * 100)} % of the points are taken away."
    return Lateness(seconds, share, taken if share else "")


def rounded(points: Decimal) -> Decimal:
    """Points as they count: half up to 0.01. Done once, at the end."""
    return points.quantize(_CENT, ROUND_HALF_UP)


def _plain(number: Decimal) -> str:
    """`12.5`, `10`: without an exponent and without zeros at the end."""
    return f"{number.normalize():f}"


def _days(days: int) -> str:
    return "1 day" if days == 1 else f"{days} days"


def _told(seconds: int) -> str:
    """`1 day 3 h`, `2 h 5 min`, `40 s`: exactly, since a second may cost a day."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, _days(days)), (hours, f"{hours} h"), (minutes, f"{minutes} min"), (seconds, f"{seconds} s")]
    return " ".join(text for count, text in parts if count)
