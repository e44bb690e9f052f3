"""CAUSE: wrong type: a list is returned instead of a tuple"""
import torch


def append_cache(cache, k, v):
    if k.shape != v.shape:
        raise ValueError("k and v differ")
    if cache is None:
        return [k, v]
    for old, new in zip(cache, [k, v]):
        if old.shape[:-2] != new.shape[:-2] or old.shape[-1] != new.shape[-1]:
            raise ValueError("shapes differ")
    return [torch.cat(pair, dim=-2) for pair in zip(cache, [k, v])]
