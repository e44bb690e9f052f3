"""CAUSE: writes two thirds as 0.67"""
# shows: swiglu_hidden_width(96) should be 256, is 512; (300, 1) gives 804 instead of 800; 4096 is right


def swiglu_hidden_width(d_model, multiple_of=256):
    width = int(4 * d_model * 0.67)
    while width % multiple_of != 0:
        width += 1
    return width
