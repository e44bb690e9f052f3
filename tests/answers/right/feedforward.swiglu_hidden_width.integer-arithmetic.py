"""Whole numbers only: 8D // 3, then minus-floor-of-minus for the ceiling."""


def swiglu_hidden_width(d_model, multiple_of=256):
    wanted = 8 * d_model // 3
    return -(-wanted // multiple_of) * multiple_of
