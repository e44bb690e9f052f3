"""CAUSE: two mistakes: the heads are merged to (B, Tq, H*K) on the way out, and the scores are not scaled at all"""
import torch


def attend_cached(q, k_new, v_new, cache):
    B, H, Tq, K = q.shape
    k = k_new if cache is None else torch.cat([cache[0], k_new], 2)
    v = v_new if cache is None else torch.cat([cache[1], v_new], 2)
    n = H // k.shape[1]
    s = q @ k.repeat_interleave(n, 1).transpose(-1, -2)
    mask = torch.ones(Tq, k.shape[2], dtype=torch.bool).tril(k.shape[2] - Tq)
    y = s.masked_fill(~mask, -torch.inf).softmax(-1) @ v.repeat_interleave(n, 1)
    return y.transpose(1, 2).reshape(B, Tq, H * K), (k, v)
