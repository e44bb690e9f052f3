"""CAUSE: does not truncate 8D/3 before rounding up, so the fraction alone can push it to the next multiple"""
import math

# shows: swiglu_hidden_width(2, 5) should be 5 (5.33 truncated), is 10


def swiglu_hidden_width(d_model, multiple_of=256):
    exact = 8 * d_model / 3
    return math.ceil(exact / multiple_of) * multiple_of
