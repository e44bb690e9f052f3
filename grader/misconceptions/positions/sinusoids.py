"""Known mistakes of sinusoidal positions."""

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.positions.frequencies import (
    chosen_base,
    exponents,
    frequency_mistakes,
    products,
    refusals,
    slope_of_exponents,
)
from grader.misconceptions.positions.shared import about, catalogue, form, refuse


@catalogue.flawed(
    "sinusoidal_positions",
    *frequency_mistakes("D", "D/2"),
    *about(
        "the-exponent",
        {
            "frequency-for-each-column": "Every column has a frequency of its own; the sine in column 2i and the "
            "cosine in column 2i + 1 share the one with exponent 2i/D.",
        },
    ),
    *about(
        "sines-and-cosines-in-the-wrong-columns",
        {
            "halves": "All sines come first and all cosines after them, as in some libraries; here they alternate: "
            "even columns are sines, odd ones cosines.",
            "cosines-first": "Sine and cosine have changed places: even columns are sines, so position 0 is 0, 1, 0, "
            "1.",
        },
    ),
    *about("which-position", {"starts-at-one": "Positions start at 1; the first one is 0, and its sines are 0."}),
    *refusals("width", "test_odd_width"),
    *form(
        {
            "batch-axis": "The table has an axis of size 1 in front; its shape is (T, D), and it broadcasts by itself.",
            "float64": "The table is float64; compute in it if you like, but return float32.",
            "transposed": "Rows and columns have changed places: one row for each position, one column for each "
            "feature.",
        },
        fails="test_three_positions",
    ),
)
def sinusoidal_positions(wrong: Wrong, n_positions: int, d_model: int, base: float | None = None) -> Tensor:
    """The table with switches."""
    if d_model % 2 and not wrong("odd-accepted"):
        refuse(wrong, "odd width")
    powers = exponents(wrong, d_model)
    positions = torch.arange(n_positions) + int(wrong("starts-at-one"))
    rate = chosen_base(wrong, base)
    sine_angles = products(wrong, positions, rate**powers)
    later = powers - slope_of_exponents(wrong) / d_model if wrong("frequency-for-each-column") else powers
    cosine_angles = products(wrong, positions, rate**later)
    first, second = sine_angles.sin(), cosine_angles.cos()
    if wrong("cosines-first"):
        first, second = second, first
    joined = torch.cat((first, second), -1) if wrong("halves") else torch.stack((first, second), -1).flatten(-2)
    table = joined[:, :d_model]  # an odd width keeps one sine more than cosines
    if wrong("transposed"):
        table = table.T
    if wrong("batch-axis"):
        table = table[None]
    return table if wrong("float64") else table.float()
