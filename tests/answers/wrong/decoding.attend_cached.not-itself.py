"""CAUSE: off by one: the mask is strict, a query does not see its own key, and the very first query sees nothing"""
import math
import torch


def attend_cached(q, k_new, v_new, cache):
    k, v = k_new, v_new
    if cache is not None:
        k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
    past = k.shape[2] - q.shape[2]
    n = q.shape[1] // k.shape[1]
    i = torch.arange(q.shape[2])[:, None] + past
    j = torch.arange(k.shape[2])[None]
    s = q @ k.repeat_interleave(n, 1).transpose(2, 3) / math.sqrt(q.shape[3])
    w = s.masked_fill(j >= i, -torch.inf).softmax(-1).nan_to_num(0.0)
    return w @ v.repeat_interleave(n, 1), (k, v)
