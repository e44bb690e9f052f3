"""CAUSE: reads table.data, so the embedding table gets no gradient"""
import torch


def _check(tokens, V):
    bad = (tokens < 0) | (tokens >= V)
    if bool(bad.any()):
        raise ValueError("token not in vocabulary")


# shows: embed(tokens, table).sum().backward() fails; table.grad stays None
def embed(tokens, table):
    _check(tokens, table.shape[0])
    rows = table.data
    return rows[tokens]
