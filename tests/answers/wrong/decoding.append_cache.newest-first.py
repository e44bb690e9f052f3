"""CAUSE: wrong order: the new entries are put in front of the old ones"""
import torch


def append_cache(cache, k, v):
    if k.shape != v.shape:
        raise ValueError("k and v differ")
    if cache is None:
        return (k, v)
    if any(a != b for i, (a, b) in enumerate(zip(cache[0].shape, k.shape)) if i != 2):
        raise ValueError("shapes differ")
    return tuple(torch.cat([new, old], dim=2) for old, new in zip(cache, (k, v)))
