"""A plain Python loop: fetch one row a token, stack the rows, restore the shape."""
import torch


def embed(tokens, table):
    V, D = table.shape
    rows = []
    for t in tokens.flatten().tolist():
        if not 0 <= t < V:
            raise ValueError("token %d is outside 0..%d" % (t, V - 1))
        rows.append(table[t])
    # an empty batch has nothing to stack, but still belongs to the table's graph
    stacked = torch.stack(rows) if rows else table[:0]
    return stacked.reshape(tuple(tokens.shape) + (D,))
