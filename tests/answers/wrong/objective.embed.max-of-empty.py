"""CAUSE: range check crashes on an empty batch (max of no elements)"""
import torch


# shows: embed(tokens of shape (0, 3), table) raises RuntimeError; should be an empty (0, 3, D)
def embed(tokens, table):
    lo, hi = int(tokens.min()), int(tokens.max())
    if lo < 0 or hi > len(table) - 1:
        raise ValueError(f"token out of range: {lo}..{hi}")
    return table[tokens]
