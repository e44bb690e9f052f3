"""CAUSE: upper bound check is off by one (allows token == V)"""
import torch


# shows: embed(tensor([[7]]), table of 7 rows) gives IndexError, not ValueError
def embed(tokens: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    V, D = table.shape
    flat = tokens.reshape(-1)
    for tok in flat.tolist():
        if tok < 0 or tok > V:
            raise ValueError("bad token %d" % tok)
    out = table.index_select(0, flat)
    return out.reshape(tuple(tokens.shape) + (D,))
