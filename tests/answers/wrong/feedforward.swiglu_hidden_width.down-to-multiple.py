"""CAUSE: rounds down to the multiple"""
# shows: swiglu_hidden_width(4096) should be 11008, is 10752


def swiglu_hidden_width(d_model, multiple_of=256):
    h = (d_model * 8) // 3
    return h - h % multiple_of
