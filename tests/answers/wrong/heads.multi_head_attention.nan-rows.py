"""CAUSE: a query with every key masked gets softmax of all -inf, which is NaN"""
import math
import torch

# shows: mask with row 0 all False: output row 0 is NaN, should be bo (or 0)


def multi_head_attention(x, weights, n_heads, mask=None):
    batch, T, D = x.shape
    if D % n_heads != 0:
        raise ValueError("D not divisible by n_heads")
    K = D // n_heads
    lin = lambda t, n: t @ weights["w" + n].T + weights.get("b" + n, 0)
    heads = lambda t: t.reshape(batch, T, n_heads, K).transpose(1, 2)
    Q, Kk, V = heads(lin(x, "q")), heads(lin(x, "k")), heads(lin(x, "v"))
    if mask is None:
        mask = torch.tril(torch.ones(T, T)).bool()
    A = torch.einsum("bhik,bhjk->bhij", Q, Kk) / math.sqrt(K)
    A = A.masked_fill(mask.logical_not(), -torch.inf).softmax(-1)
    Y = torch.einsum("bhij,bhjk->bihk", A, V).reshape(batch, T, D)
    return lin(Y, "o")
