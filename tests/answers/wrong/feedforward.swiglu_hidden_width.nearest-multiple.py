"""CAUSE: rounds to the nearest multiple instead of up"""
# shows: swiglu_hidden_width(100, 256) should be 512, is 256; 4096 happens to be right


def swiglu_hidden_width(d_model, multiple_of=256):
    hidden = int(2 * (4 * d_model) / 3)
    return max(multiple_of, round(hidden / multiple_of) * multiple_of)
