"""CAUSE: takes the even and odd rows of the whole matrix instead of head by head"""
import torch

# shows: 8 rows, n_heads=2: new row 2 should be old row 1, is old row 4; n_heads=1 is right


def interleaved_to_half(weight, n_heads):
    n_rows = weight.shape[0]
    if n_rows % n_heads != 0:
        raise ValueError("n_heads must divide the rows")
    if (n_rows // n_heads) % 2 != 0:
        raise ValueError("head width must be even")
    return torch.cat([weight[0::2], weight[1::2]], dim=0)
