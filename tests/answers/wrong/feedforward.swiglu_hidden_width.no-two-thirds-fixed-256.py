"""CAUSE: forgets the two thirds and rounds 4D itself; CAUSE: 256 is written out, multiple_of is ignored"""
# shows: swiglu_hidden_width(4096) is 16384 instead of 11008; swiglu_hidden_width(6, 4) is 256 instead of 16


def swiglu_hidden_width(d_model, multiple_of=256):
    return ((4 * d_model + 255) // 256) * 256
