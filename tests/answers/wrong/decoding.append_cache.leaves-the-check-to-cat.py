"""CAUSE: forgotten: shapes are not checked, torch.cat raises RuntimeError instead of ValueError, and k, v of different lengths pass"""
import torch


def append_cache(cache, k, v):
    if cache is None:
        return k, v
    return torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
