"""Steps up in multiples until the truncated two thirds fit."""


def swiglu_hidden_width(d_model, multiple_of=256):
    wanted = int(2 * (4 * d_model) / 3)
    width = 0
    while width < wanted:
        width += multiple_of
    return width
