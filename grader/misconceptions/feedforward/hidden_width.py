"""Known mistakes of SwiGLU's hidden width."""

import math

from grader.judge.misconception import Wrong
from grader.misconceptions.feedforward.shared import about, catalogue

WIDTH = "two-thirds-then-round-up"


@catalogue.flawed(
    "swiglu_hidden_width",
    *about(
        WIDTH,
        {
            "no-two-thirds": "That is 4D, the width of two matrices; three matrices get two thirds of it.",
            "two-thirds-of-d": "That is two thirds of D; it is two thirds of 4D.",
            "rounded-down": "The width is rounded down to the multiple; it is rounded up.",
            "not-rounded": "The width is not rounded to the multiple.",
            "is-a-float": "That is a float; a width is an int.",
            "rounded-before": "4D is rounded to the multiple first; two thirds are taken first, then it is rounded.",
        },
        fails="test_four_thousand",
    ),
    *about(
        WIDTH,
        {
            "rounded-to-nearest": "The width is rounded to the nearest multiple; it is rounded up.",
        },
        fails="test_published_widths",
    ),
    *about(
        WIDTH,
        {
            "multiple-ignored": "multiple_of has no effect.",
            "truncated-before-times-four": "Two thirds of D are truncated and then multiplied by 4; truncate once, at "
            "the end.",
            "truncated-before-times-eight": "A third of D is truncated and then multiplied by 8; truncate once, at the "
            "end.",
        },
        fails="test_other_multiples",
    ),
    *about(
        WIDTH,
        {
            "fraction-rounded-up": "Cut the fraction off first, then round up: 130.67 becomes 130, which already is a "
            "multiple of 10.",
            "fraction-rounded": "Two thirds of 4D are rounded to the nearest integer; the fraction is cut off.",
            "two-thirds-as-decimal": "Two thirds are written as 0.67, which is more.",
        },
        fails="test_two_thirds_are_truncated",
    ),
    *about(
        WIDTH,
        {"one-multiple-more": "A width that is a multiple already gets another one."},
        fails="test_already_a_multiple",
    ),
)
def swiglu_hidden_width(wrong: Wrong, d_model: int, multiple_of: int = 256) -> int | float:
    """Two thirds of 4D, cut off, rounded up."""
    multiple = 256 if wrong("multiple-ignored") else multiple_of
    width = int(2 * (4 * d_model) / 3)
    if wrong("no-two-thirds"):
        width = 4 * d_model
    if wrong("two-thirds-of-d"):
        width = int(2 * d_model / 3)
    if wrong("truncated-before-times-four"):
        width = 4 * int(2 * d_model / 3)
    if wrong("truncated-before-times-eight"):
        width = 8 * (d_model // 3)
    if wrong("fraction-rounded-up"):
        width = math.ceil(8 * d_model / 3)
    if wrong("fraction-rounded"):
        width = round(8 * d_model / 3)
    if wrong("two-thirds-as-decimal"):
        width = int(0.67 * 4 * d_model)
    if wrong("rounded-before"):
        return int(2 * (math.ceil(4 * d_model / multiple) * multiple) / 3)
    if wrong("not-rounded"):
        return width
    if wrong("rounded-down"):
        return width // multiple * multiple
    if wrong("rounded-to-nearest"):
        return max(1, round(width / multiple)) * multiple
    if wrong("one-multiple-more"):
        return (width // multiple + 1) * multiple
    rounded = multiple * math.ceil(width / multiple)
    return float(rounded) if wrong("is-a-float") else rounded
