"""CAUSE: misreading: a batch of 1 in the cache is expanded to the new batch instead of raising"""
import torch


def append_cache(cache, k, v):
    if k.shape != v.shape:
        raise ValueError("k and v differ")
    if cache is None:
        return k, v
    ck, cv = cache
    B, H, _, K = k.shape
    if ck.shape[1] != H or ck.shape[3] != K or ck.shape[0] not in (1, B):
        raise ValueError("shapes differ")
    return torch.cat([ck.expand(B, -1, -1, -1), k], 2), torch.cat([cv.expand(B, -1, -1, -1), v], 2)
