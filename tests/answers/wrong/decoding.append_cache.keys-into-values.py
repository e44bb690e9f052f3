"""CAUSE: copy and paste: the old keys are joined with the new values"""
import torch


def append_cache(cache, k, v):
    if k.shape != v.shape:
        raise ValueError("k and v differ")
    if cache is not None:
        if cache[0].shape[:2] + cache[0].shape[3:] != k.shape[:2] + k.shape[3:]:
            raise ValueError("shapes differ")
        k = torch.cat([cache[0], k], dim=2)
        v = torch.cat([cache[0], v], dim=2)
    return k, v
