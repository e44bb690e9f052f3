"""How fast each pair turns, which sinusoids and RoPE share."""

import torch
from torch import Tensor

from grader.judge.misconception import Misconception, Wrong
from grader.misconceptions.positions.shared import about


def refusals(subject: str, fails: str) -> tuple[Misconception, ...]:
    """A bad width that is accepted, or refused in the wrong way."""
    return about(
        "widths-that-do-not-fit",
        {
            "odd-accepted": f"An odd {subject} is accepted. Features come in pairs here: raise a ValueError.",
            "assertion": f"An odd {subject} is noticed, but not with a ValueError: raise one, with a message.",
        },
        fails,
    )


def frequency_mistakes(width: str, pairs: str) -> tuple[Misconception, ...]:
    """The mistakes about how fast each pair turns; `width` and `pairs` are the symbols for a width and its half."""
    return (
        *about(
            "the-exponent",
            {
                "exponent-doubled": f"The exponent is twice what it should be: with i counting pairs it is 2i/{width}. "
                f"Either 2i is doubled once more, or it is divided by {pairs}.",
                "exponent-halved": f"The exponent is half of what it should be: with i counting pairs, 0 to "
                f"{pairs} - 1, it is 2i/{width}, not i/{width}.",
                "rising-frequencies": "Your frequencies rise from pair to pair; the exponent needs a minus sign, so "
                "that the first pair turns fastest.",
                "last-pair-reaches-base": f"You divide by {width} - 2 (or {pairs} - 1), so that the last frequency is "
                f"exactly 1/base; the exponent is 2i/{width}, and the last pair stops short of that.",
                "pairs-counted-from-one": "Pairs are counted from 1; the first is pair 0 and turns by 1 radian a "
                "position.",
                "pairs-reversed": "The frequencies are in reverse order: pair 0 is the fastest.",
                "whole-number-exponent": "All pairs turn at the same rate: the exponent is 0 everywhere, as a "
                "whole-number division makes it. Divide floating-point numbers.",
            },
        ),
        *about(
            "the-base",
            {
                "base-ignored": "The argument base is not used: your function takes 10,000 whatever is passed.",
                "base-of-1000": "Your function's default for the base is 1,000; it should be 10,000.",
            },
        ),
        *about(
            "angles-in-16-bits",
            {
                "sixteen-bit-positions": "Positions pass through a 16-bit number, where 257 and 256 are the same and "
                "near 2,000 only every eighth is left: multiply in float32 or better.",
                "sixteen-bit-angles": "Angles are rounded to 16 bits, so far positions are off by whole radians: keep "
                "them in float32 or better.",
            },
        ),
    )


def exponents(wrong: Wrong, width: int) -> Tensor:
    """The exponent of the base for each pair, sign included."""
    pair = torch.arange(0, width, 2, dtype=torch.float64) / 2
    if wrong("pairs-counted-from-one"):
        pair = pair + 1
    if wrong("pairs-reversed"):
        pair = pair.flip(0)
    if wrong("whole-number-exponent"):
        pair = 0 * pair
    divisor = max(width - 2, 1) if wrong("last-pair-reaches-base") else width
    return 2 * slope_of_exponents(wrong) * pair / divisor * (1 if wrong("rising-frequencies") else -1)


def slope_of_exponents(wrong: Wrong) -> float:
    """By how much the exponent falls from one column to the next, in units of 1/width: 1 when it is right."""
    return 2.0 if wrong("exponent-doubled") else 0.5 if wrong("exponent-halved") else 1.0


def chosen_base(wrong: Wrong, base: float | None) -> float:
    """The base that is used: the one that was passed, or the default."""
    default = 1000.0 if wrong("base-of-1000") else 10000.0
    return default if base is None or wrong("base-ignored") else base


def products(wrong: Wrong, positions: Tensor, frequencies: Tensor) -> Tensor:
    """Angles `(T, pairs)` in float64, rounded on the way where a mistake does that."""
    places = positions.to(torch.bfloat16).double() if wrong("sixteen-bit-positions") else positions.double()
    angles = places[:, None] * frequencies
    return angles.to(torch.bfloat16).double() if wrong("sixteen-bit-angles") else angles
