"""I wrote the backward pass by hand: the gradient of a lookup adds every output row back to its table row."""
import torch


class Lookup(torch.autograd.Function):
    @staticmethod
    def forward(ctx, ids, table):
        ctx.save_for_backward(ids)
        ctx.rows = table.shape[0]
        return table[ids]

    @staticmethod
    def backward(ctx, upstream):
        ids, = ctx.saved_tensors
        total = torch.zeros(ctx.rows, upstream.shape[-1], dtype=torch.float64)
        return None, total.index_add(0, ids, upstream.double()).to(upstream.dtype)


def embed(tokens, table):
    ids = tokens.reshape(-1)
    if any(i < 0 or i >= len(table) for i in set(ids.tolist())):
        raise ValueError("token id outside the vocabulary")
    return Lookup.apply(ids, table).reshape(tokens.shape + table.shape[1:])
