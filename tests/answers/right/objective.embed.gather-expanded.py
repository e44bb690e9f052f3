"""torch.gather along the vocabulary axis, with every id repeated once for each feature."""
import torch


def embed(tokens, table):
    vocab, width = table.shape
    inside = tokens.ge(0).logical_and(tokens.lt(vocab))
    if not bool(inside.all()):
        raise ValueError("every token must lie in 0..V-1")
    index = tokens.reshape(-1, 1).expand(-1, width)
    return torch.gather(table, 0, index).unflatten(0, tokens.shape) if tokens.dim() else table.gather(0, index)[0]
