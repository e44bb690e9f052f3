"""CAUSE: wrong order: the weights of the future are set to 0 after the softmax, the rest no longer sums to 1"""
import math
import torch


def attend_cached(q, k_new, v_new, cache):
    if cache is None:
        k, v = k_new, v_new
    else:
        k, v = torch.cat([cache[0], k_new], 2), torch.cat([cache[1], v_new], 2)
    n = q.shape[1] // k.shape[1]
    w = (q @ k.repeat_interleave(n, 1).transpose(-1, -2) / math.sqrt(q.shape[-1])).softmax(-1)
    w = w.tril(k.shape[2] - q.shape[2])
    return w @ v.repeat_interleave(n, 1), (k, v)
