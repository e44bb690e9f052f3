"""Known mistakes of the angles of RoPE."""

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.positions.frequencies import chosen_base, exponents, frequency_mistakes, products, refusals
from grader.misconceptions.positions.shared import about, catalogue, form, refuse


@catalogue.flawed(
    "rope_angles",
    *frequency_mistakes("K", "K/2"),
    *about(
        "which-position",
        {
            "positions-ignored": "The positions that are passed are not used, only their number: behind a cache, or "
            "with gaps, every angle would be wrong.",
            "positions-from-the-first": "Angles are counted from the first position that is passed. Positions are "
            "absolute: behind a cache they do not start at 0.",
            "starts-at-one": "Every position is one too far: position 0 has the angle 0.",
        },
    ),
    *refusals("head width", "test_odd_width"),
    *about(
        "widths-that-do-not-fit",
        {"odd-cut-off": "An odd head width is accepted, and its last feature gets no angle: raise a ValueError."},
        fails="test_odd_width",
    ),
    *form(
        {
            "doubled-in-halves": "Your result has K columns, the angles twice in a row. One angle for each pair, K/2 "
            "columns, is what this function returns; to repeat them is the business of the rotation.",
            "doubled-in-pairs": "Your result has K columns, each angle twice side by side. One angle for each pair, "
            "K/2 columns, is what this function returns.",
            "cosines": "You return the cosines; the angles themselves, in radians, are wanted.",
            "transposed": "Rows and columns have changed places: one row for each position, one column for each pair.",
            "float64": "Angles are float64; compute in it if you like, but return float32.",
        },
        fails="test_scattered_positions",
    ),
    *form(
        {"changes-positions": "Your function writes into the positions that it was given: work on a new tensor."},
        fails="test_leaves_positions_alone",
    ),
)
def rope_angles(wrong: Wrong, positions: Tensor, head_width: int, base: float | None = None) -> Tensor:
    """Angles with switches."""
    if head_width % 2 and not (wrong("odd-accepted") or wrong("odd-cut-off")):
        refuse(wrong, "odd head width")
    places = torch.arange(len(positions)) if wrong("positions-ignored") else positions
    if wrong("positions-from-the-first"):
        places = places - places[0]
    if wrong("starts-at-one"):
        places = places + 1
    angles = products(wrong, places, chosen_base(wrong, base) ** exponents(wrong, head_width))
    if wrong("odd-cut-off"):
        angles = angles[:, : head_width // 2]
    if wrong("changes-positions"):
        positions.mul_(2)
    if wrong("cosines"):
        angles = angles.cos()
    if wrong("doubled-in-halves"):
        angles = torch.cat((angles, angles), dim=-1)
    if wrong("doubled-in-pairs"):
        angles = angles.repeat_interleave(2, dim=-1)
    if wrong("transposed"):
        angles = angles.T
    return angles if wrong("float64") else angles.float()
