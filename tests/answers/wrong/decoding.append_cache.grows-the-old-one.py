"""CAUSE: mutated argument: the old cache's tensors are given the longer data, so an older cache changes under its owner"""
import torch


def append_cache(cache, k, v):
    if k.shape != v.shape:
        raise ValueError("k and v must have one shape")
    if cache is None:
        return k.clone(), v.clone()
    old_k, old_v = cache
    if old_k.shape[:2] != k.shape[:2] or old_k.shape[3] != k.shape[3]:
        raise ValueError("batch, heads or width differ from the cache")
    old_k.data = torch.cat([old_k, k], dim=2)
    old_v.data = torch.cat([old_v, v], dim=2)
    return old_k, old_v
