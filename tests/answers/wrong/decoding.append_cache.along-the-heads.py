"""CAUSE: wrong axis: the new keys are concatenated along the heads axis, not along time"""
import torch


def append_cache(cache, k, v):
    if k.shape != v.shape:
        raise ValueError("k and v differ")
    if cache is None:
        return k, v
    ck, cv = cache
    if (ck.shape[0], ck.shape[1], ck.shape[3]) != (k.shape[0], k.shape[1], k.shape[3]):
        raise ValueError("cache and new keys differ")
    if ck.shape[2] != k.shape[2]:
        return torch.cat([ck, k], dim=2), torch.cat([cv, v], dim=2)
    return torch.cat([ck, k], dim=1), torch.cat([cv, v], dim=1)
