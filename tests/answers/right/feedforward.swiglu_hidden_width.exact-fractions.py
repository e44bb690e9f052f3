"""Fractions for the two thirds, floor and ceiling from math."""
from fractions import Fraction
from math import ceil, floor


def swiglu_hidden_width(d_model, multiple_of=256):
    truncated = floor(Fraction(2, 3) * 4 * d_model)
    return ceil(Fraction(truncated, multiple_of)) * multiple_of
