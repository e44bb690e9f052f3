"""CAUSE: misreading: the whole shape is compared, so a step of another length than the cache is refused"""
import torch


def append_cache(cache, k, v):
    if k.shape != v.shape:
        raise ValueError("k and v differ")
    if cache is None:
        return k, v
    if cache[0].shape != k.shape:
        raise ValueError("shape differs from the cache")
    return torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
