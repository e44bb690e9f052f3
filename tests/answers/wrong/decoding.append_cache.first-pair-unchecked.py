"""CAUSE: forgotten edge case: with cache None the pair is returned before k and v are compared"""
import torch


def append_cache(cache, k, v):
    if cache is None:
        return k, v
    if k.shape != v.shape:
        raise ValueError("k and v differ")
    b, h, _, w = cache[0].shape
    if k.shape[0] != b or k.shape[1] != h or k.shape[3] != w:
        raise ValueError("new keys do not fit the cache")
    return torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
