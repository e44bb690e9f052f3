"""CAUSE: no error for a sequence of length 1"""


# shows: shift_targets(tensor([[5]])) returns two empty tensors instead of raising
def shift_targets(tokens):
    x = tokens[:, :-1]
    y = tokens[:, 1:]
    return x, y
