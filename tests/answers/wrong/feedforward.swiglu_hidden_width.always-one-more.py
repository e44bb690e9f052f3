"""CAUSE: (h // m + 1) * m adds a whole multiple when h is one already"""
# shows: swiglu_hidden_width(768) should be 2048, is 2304; 4096 -> 11008 is right


def swiglu_hidden_width(d_model, multiple_of=256):
    hidden_dim = 4 * d_model
    hidden_dim = int(2 * hidden_dim / 3)
    return (hidden_dim // multiple_of + 1) * multiple_of
