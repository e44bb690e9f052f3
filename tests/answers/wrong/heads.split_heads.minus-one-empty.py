"""CAUSE: leaves the head width to -1, which torch cannot infer for an empty batch"""
# shows: x of shape (0, 5, 8), n_heads=2 -> RuntimeError, should be (0, 2, 5, 4)


def split_heads(x, n_heads):
    if x.size(-1) % n_heads != 0:
        raise ValueError("n_heads must divide the model width")
    return x.reshape(x.size(0), x.size(1), n_heads, -1).transpose(1, 2)
