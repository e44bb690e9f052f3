"""CAUSE: half forgotten: only the width is compared, a wrong batch or number of heads ends in a RuntimeError"""
import torch


def append_cache(cache, k, v):
    if k.shape != v.shape:
        raise ValueError("k and v differ")
    if cache is None:
        return k, v
    ck, cv = cache
    if ck.size(-1) != k.size(-1):
        raise ValueError("head width differs")
    return torch.cat([ck, k], dim=-2), torch.cat([cv, v], dim=-2)
