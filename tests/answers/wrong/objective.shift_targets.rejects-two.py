"""CAUSE: length check off by one, T = 2 is rejected"""


# shows: shift_targets(tensor([[5, 6]])) raises; should be ([[5]], [[6]])
def shift_targets(tokens):
    batch, length = tokens.shape
    if length <= 2:
        raise ValueError(f"sequence of length {length} has no training signal")
    return tokens[:, 0:length - 1], tokens[:, 1:length]
