"""CAUSE: clamps tokens outside the vocabulary instead of raising"""
import torch


# shows: embed(tensor([9]), table of 7 rows) returns row 6, no ValueError
def embed(tokens, table):
    # safe lookup, never index out of bounds
    safe = torch.clamp(tokens, min=0, max=table.size(0) - 1)
    return table[safe]
