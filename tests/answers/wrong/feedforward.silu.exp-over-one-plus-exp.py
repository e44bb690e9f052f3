"""CAUSE: e^x / (1 + e^x) overflows to inf / inf for large positive x"""
import torch

# shows: x = 100.0 in float32 gives NaN, should be 100


def silu(x):
    e = torch.exp(x)
    return x * e / (1 + e)
