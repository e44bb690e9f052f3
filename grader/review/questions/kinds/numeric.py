"""A number, with a tolerance whose bounds count as right."""

import math
from fractions import Fraction

from grader.review.questions.draw import fill
from grader.review.questions.kinds.numeral import Unreadable, infinite, read_number
from grader.review.questions.model import AskBack, Call, Drawn, Key, Mark, Slip, Tolerance, Variant, right_or_wrong
from grader.review.questions.oracle import Oracle

_ROUNDING = Fraction(1, 10**12)
"""What float64 arithmetic of the reference may have lost, relative to the numbers at hand."""


def key(drawn: Drawn, oracle: Oracle) -> Key:
    """The reference's number and those of the slips that differ from it by more than the tolerance."""
    value, within = right_value(drawn, oracle), tolerance(drawn)
    slips = [(slip_value(slip, drawn, oracle), fill(slip.feedback, drawn.params)) for slip in drawn.question.also]
    told_apart = tuple(slip for slip in slips if not math.isnan(slip[0]) and not coincide(within, slip[0], value))
    return Key(value, told_apart, written(value, within))


def right_value(drawn: Drawn, oracle: Oracle) -> float:
    """The right answer to a drawn numeric question."""
    answer = drawn.question.answer
    if isinstance(answer, Call):
        return oracle.value(answer, drawn.params)
    return number(answer)


def slip_value(slip: Slip, drawn: Drawn, oracle: Oracle) -> float:
    """What somebody types who makes that slip; NaN when the mistake gives none."""
    if isinstance(slip.value, Variant):
        assert isinstance(drawn.question.answer, Call)  # the loader lets no other through
        return oracle.wrong(slip.value, drawn.question.answer, drawn.params)
    if isinstance(slip.value, Call):
        return oracle.value(slip.value, drawn.params)
    return number(slip.value)


def number(value: object) -> float:
    """A number that was written down. Raises TypeError for anything else."""
    if isinstance(value, int | float):
        return value
    raise TypeError(f"{value!r} is not a number")


def tolerance(drawn: Drawn) -> Tolerance:
    """The tolerance of a numeric question."""
    return drawn.question.tolerance or Tolerance("exact")


def mark(drawn: Drawn, key: Key, given: str) -> Mark | AskBack:
    """Right within the tolerance; a known slip gets its feedback."""
    slips = [(number(value), feedback) for value, feedback in key.slips]
    value = number(key.value)
    typed: Fraction | float | None = infinite(given)
    if typed is not None and not any(math.isinf(known) for known in (value, *(slip for slip, _ in slips))):
        return AskBack("Type a number, written with digits.")
    if typed is None:
        try:
            typed = read_number(given)
        except Unreadable as error:
            return AskBack(str(error))
    if accepts(tolerance(drawn), typed, value):
        return right_or_wrong(True, "", given.strip())
    feedback = next((feedback for slip, feedback in slips if accepts(_around(tolerance(drawn)), typed, slip)), "")
    return right_or_wrong(False, feedback, given.strip())


def accepts(tolerance: Tolerance, typed: Fraction | float, value: float) -> bool:
    """Whether a typed number (a float when it is infinite) is near enough to `value`, the bounds included."""
    if math.isinf(value) or isinstance(typed, float):
        return isinstance(typed, float) and typed == value
    exact = Fraction(value)
    lost = abs(exact) * _ROUNDING
    match tolerance.kind:
        case "exact":
            # Counts have to be met to the last digit; 0.1 + 0.2 has not.
            return typed == exact or (exact.denominator != 1 and abs(typed - exact) <= lost)
        case "range":
            return Fraction(str(tolerance.low)) <= typed <= Fraction(str(tolerance.high))
        case "atol":
            return abs(typed - exact) <= Fraction(str(tolerance.amount)) * (1 + _ROUNDING) + lost
        case "rtol":
            return abs(typed - exact) <= Fraction(str(tolerance.amount)) * abs(exact) * (1 + _ROUNDING) + lost


def coincide(tolerance: Tolerance, wrong: float, value: float) -> bool:
    """Whether the value of a slip would be accepted as the right answer."""
    return accepts(tolerance, wrong if math.isinf(wrong) else Fraction(wrong), value)


def _around(tolerance: Tolerance) -> Tolerance:
    """How near to a slip an answer must be: a range is about the right answer, so half its width is taken."""
    if tolerance.kind == "range":
        return Tolerance("atol", (tolerance.high - tolerance.low) / 2)
    return tolerance


def written(value: float, tolerance: Tolerance) -> str:
    """The right answer as it is shown: whole where it is whole, else with as many digits as the tolerance needs."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value == int(value):
        return str(int(value))
    digits = 15 if tolerance.kind == "exact" else 6
    return f"{value:.{digits}g}"


def how_to_answer(drawn: Drawn) -> str:
    return f"Type a number ({tolerance(drawn).says})."
