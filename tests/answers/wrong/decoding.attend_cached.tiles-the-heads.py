"""CAUSE: wrong order: the kv heads are tiled 0,1,0,1 instead of repeated 0,0,1,1"""
import math
import torch


def attend_cached(q, k_new, v_new, cache):
    k, v = (k_new, v_new) if cache is None else (torch.cat([cache[0], k_new], 2), torch.cat([cache[1], v_new], 2))
    n = q.shape[1] // k.shape[1]
    Tq, Tk = q.shape[2], k.shape[2]
    mask = torch.ones(Tq, Tk, dtype=torch.bool).tril(Tk - Tq)
    s = torch.einsum("bhqd,bhkd->bhqk", q, k.repeat(1, n, 1, 1)) / math.sqrt(q.shape[-1])
    w = s.masked_fill(~mask, -torch.inf).softmax(-1)
    return torch.einsum("bhqk,bhkd->bhqd", w, v.repeat(1, n, 1, 1)), (k, v)
