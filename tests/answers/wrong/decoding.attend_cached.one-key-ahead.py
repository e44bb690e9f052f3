"""CAUSE: off by one: the diagonal is cache length + 1, every query but the last sees one key of the future"""
import math
import torch


def attend_cached(q, k_new, v_new, cache):
    past = 0 if cache is None else cache[0].shape[2]
    k = k_new if past == 0 else torch.cat([cache[0], k_new], 2)
    v = v_new if past == 0 else torch.cat([cache[1], v_new], 2)
    n = q.shape[1] // k.shape[1]
    visible = torch.tril(torch.ones(q.shape[2], k.shape[2]), diagonal=past + 1) > 0
    s = torch.matmul(q, k.repeat_interleave(n, 1).transpose(-2, -1)) / math.sqrt(q.shape[-1])
    s = s.masked_fill(~visible, float("-inf"))
    return s.softmax(-1).matmul(v.repeat_interleave(n, 1)), (k, v)
